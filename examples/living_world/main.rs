//! A world that lives while it loads: every image of a folder becomes ground, creatures wander over
//! it, and a background task keeps their map. All of it runs on one pool.
//!
//! `cargo run --release --example living_world -- --help` lists the flags.

mod creatures;
mod loading;
mod navigation;
pub(crate) mod options;
mod picture;
mod report;
mod source;
mod terrain;
mod world_file;

use bevy_app::{App, Update};
use bevy_asset::io::{AssetSourceBuilder, AssetSourceId};
use bevy_asset::{AssetApp, AssetPlugin, AssetServer};
use bevy_diagnostic::FrameCountPlugin;
use bevy_ecs::prelude::*;
use bevy_heartbeat::record::{FlightRecorder, Record};
use bevy_heartbeat::{HeartbeatMetrics, HeartbeatPlugin};
use bevy_image::ImagePlugin;
use bevy_time::TimePlugin;
use creatures::{Life, Tracks};
use indicatif::{ProgressBar, ProgressStyle};
use loading::Loading;
use navigation::Navigation;
use options::{Options, Request};
use report::FrameTimes;
use source::{CheckedReader, Found};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use terrain::Terrain;
use world_file::{WorldFile, WorldFileLoader};

/// What `--trace` records: no frame is late, and the last ones are kept.
const LAST_FRAMES: Record = Record::LateFrames {
    over: Duration::MAX,
    keep: 16,
};

fn main() -> ExitCode {
    let options = match options::parse(std::env::args_os().skip(1)) {
        Ok(Request::Run(options)) => options,
        Ok(Request::Help) => {
            println!("{}", options::HELP);
            return ExitCode::SUCCESS;
        }
        Err(problem) => {
            eprintln!("living_world: {problem}\n\n{}", options::HELP);
            return ExitCode::from(2);
        }
    };
    match run(&options) {
        Ok(code) => code,
        Err(problem) => {
            eprintln!("living_world: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// The folder of images, and what is in it.
pub(crate) fn find(options: &Options) -> Result<(PathBuf, Found), String> {
    let folder = options.assets.canonicalize();
    let found = folder.and_then(|folder| source::scan(&folder).map(|found| (folder, found)));
    found.map_err(|error| {
        format!(
            "the folder {} can't be read: {error}\ngive one that is there with --assets DIR",
            options.assets.display()
        )
    })
}

fn run(options: &Options) -> Result<ExitCode, String> {
    let (folder, found) = find(options)?;
    let empty = found.images.is_empty();
    if empty {
        eprintln!(
            "{}: no .png, .jpg or .jpeg in it, so the world is all sea",
            folder.display()
        );
    }

    let mut app = build_app(options, &folder, found);
    let loading_times = load(&mut app, options);
    for (path, problem) in &app.world().resource::<Loading>().failed {
        eprintln!("failed: {}: {problem}", path.display());
    }
    let living_times = live(&mut app, options);

    let hash = creatures::hash(app.world_mut());
    let world = app.world();
    let (terrain, loading) = (world.resource::<Terrain>(), world.resource::<Loading>());
    let image = picture::draw(terrain, world.resource::<Tracks>());
    picture::save(&image, &options.out).map_err(|error| {
        format!(
            "the picture {} can't be written: {error}",
            options.out.display()
        )
    })?;

    println!(
        "{}: {} by {} cells, {} creatures, {} navigation fields",
        terrain.name,
        terrain.width,
        terrain.height,
        options.creatures,
        world.resource::<Navigation>().computed
    );
    println!(
        "assets: {} loaded, {} failed",
        loading.loaded,
        loading.failed.len()
    );
    report::print_frames(&loading_times, &living_times);
    report::print_workers(&world.resource::<HeartbeatMetrics>().read());
    println!("\nworld hash: {hash:016x}");
    println!("picture: {}", options.out.display());
    if let Some(path) = &options.trace {
        let recorder = world.resource::<FlightRecorder>();
        recorder.save(path).map_err(|error| error.to_string())?;
        println!("trace: {}", path.display());
    }
    let flawed = empty || !loading.failed.is_empty();
    Ok(if options.strict && flawed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

pub(crate) fn build_app(options: &Options, folder: &Path, found: Found) -> App {
    let mut app = App::new();
    let root = folder.to_owned();
    app.register_asset_source(
        AssetSourceId::Default,
        AssetSourceBuilder::new(move || Box::new(CheckedReader::new(&root))),
    );
    app.add_plugins((
        HeartbeatPlugin {
            threads: options.threads,
            record: match options.trace {
                Some(_) => LAST_FRAMES,
                None => Record::Off,
            },
            ..Default::default()
        },
        FrameCountPlugin,
        TimePlugin,
        AssetPlugin::default(),
        ImagePlugin::default(),
    ));
    app.register_asset_loader(bevy_image::ImageLoader::new(Default::default()));
    app.init_asset::<WorldFile>()
        .register_asset_loader(WorldFileLoader);
    app.insert_resource(Life {
        frame: 0,
        frames: u32::MAX,
    });
    app.init_resource::<Navigation>();
    app.add_systems(
        Update,
        (
            // Once in any case, for there may be nothing to load.
            loading::take_arrivals.run_if(is_incomplete),
            navigation::renew_field.run_if(resource_exists::<Terrain>),
        )
            .chain(),
    );
    creatures::add_systems(&mut app);
    app.finish();
    app.cleanup();
    let loading = Loading::start(found, app.world().resource::<AssetServer>());
    app.insert_resource(loading);
    app
}

fn is_incomplete(loading: Res<Loading>, terrain: Option<Res<Terrain>>) -> bool {
    terrain.is_none() || !loading.is_over()
}

fn bar(length: u64, what: &'static str) -> ProgressBar {
    let style = ProgressStyle::with_template("{prefix:>8} [{bar:40.cyan/blue}] {pos}/{len} {msg}");
    let bar = ProgressBar::new(length).with_prefix(what);
    match style {
        Ok(style) => bar.with_style(style.progress_chars("=> ")),
        Err(_) => bar,
    }
}

fn timed_frame(app: &mut App, times: &mut FrameTimes) {
    let start = Instant::now();
    app.update();
    times.add(start.elapsed());
}

/// Runs frames until everything is loaded or has failed and the last map is there. Creatures
/// wander meanwhile, over what ground there is.
pub(crate) fn load(app: &mut App, options: &Options) -> FrameTimes {
    let mut times = FrameTimes::default();
    let bar = bar(app.world().resource::<Loading>().total as u64, "loading");
    let mut populated = false;
    loop {
        timed_frame(app, &mut times);
        let world = app.world_mut();
        if !populated && world.contains_resource::<Terrain>() {
            creatures::populate(world, options.creatures);
            populated = true;
        }
        let loading = world.resource::<Loading>();
        bar.set_position(loading.finished() as u64);
        if loading.is_over() && world.resource::<Navigation>().is_current() {
            break;
        }
    }
    bar.finish_and_clear();
    times
}

/// Begins again with the creatures as they were born, now that the ground is whole, so that the
/// world does not depend on how long loading took.
pub(crate) fn begin_to_live(app: &mut App, options: &Options) {
    creatures::clear(app.world_mut());
    creatures::populate(app.world_mut(), options.creatures);
    app.insert_resource(Life {
        frame: 0,
        frames: options.frames,
    });
}

fn live(app: &mut App, options: &Options) -> FrameTimes {
    begin_to_live(app, options);
    let mut times = FrameTimes::default();
    let bar = bar(u64::from(options.frames), "living");
    for frame in 0..options.frames {
        timed_frame(app, &mut times);
        bar.set_position(u64::from(frame) + 1);
    }
    bar.finish_and_clear();
    times
}
