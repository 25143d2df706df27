//! rayon inside of a frame, on the app's own threads: a system sorts and folds by rayon's parallel
//! iterators while images load, and the process has one pool.
//!
//! `cargo run --release --example rayon_in_frames`, with `-- --frames N --particles N` for more.
//! `cargo compare-engine --only rayon`, in `baseline/`, runs such frames beside the stock engine with the
//! stock rayon.

use bevy_app::{App, TaskPoolPlugin, Update};
use bevy_asset::{AssetApp, AssetPlugin, AssetServer, Handle};
use bevy_ecs::prelude::*;
use bevy_heartbeat::{HeartbeatMetrics, HeartbeatPlugin, Lane};
use bevy_image::{Image, ImageLoader, ImagePlugin};
use indicatif::ProgressBar;
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

#[derive(Clone, Copy)]
struct Particle {
    depth: f32,
    speed: f32,
}

#[derive(Resource)]
struct Particles(Vec<Particle>);

/// How far all have come, and which thread of rayon's each piece of the sum was made on.
#[derive(Resource, Default)]
struct Report {
    travelled: f64,
    threads_seen: BTreeMap<usize, u64>,
}

/// Moves the particles and sorts them by depth, as a renderer without a depth buffer would.
fn sort_particles(mut particles: ResMut<Particles>, mut report: ResMut<Report>) {
    let particles = &mut particles.0;
    particles.par_iter_mut().for_each(|particle| {
        particle.depth = (particle.depth + particle.speed).rem_euclid(1.0);
    });
    particles.par_sort_unstable_by(|a, b| a.depth.total_cmp(&b.depth));
    let pieces: Vec<_> = particles
        .par_chunks(4096)
        .map(|piece| {
            let travelled: f64 = piece.iter().map(|particle| f64::from(particle.speed)).sum();
            (rayon::current_thread_index(), travelled)
        })
        .collect();
    for (thread, travelled) in pieces {
        report.travelled += travelled;
        if let Some(thread) = thread {
            *report.threads_seen.entry(thread).or_default() += 1;
        }
    }
}

/// The images that are loading; each is asked for again as soon as it is there.
#[derive(Resource, Default)]
struct Loading {
    waiting: Vec<(String, Handle<Image>)>,
    loaded: usize,
}

fn keep_loading(server: Res<AssetServer>, mut loading: ResMut<Loading>) {
    let mut loaded = 0;
    for (name, image) in &mut loading.waiting {
        if server.is_loaded(&*image) {
            // Dropped first, so that it is decoded again.
            *image = Handle::default();
            *image = server.load(name.clone());
            loaded += 1;
        }
    }
    loading.loaded += loaded;
}

/// The process's threads by what they are called, without their numbers. Linux tells.
fn threads() -> BTreeMap<String, usize> {
    let mut threads = BTreeMap::new();
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten() {
        let name = task.and_then(|task| std::fs::read_to_string(task.path().join("comm")));
        if let Ok(name) = name {
            let name = name.split('(').next().unwrap_or_default().trim();
            *threads.entry(name.to_owned()).or_default() += 1;
        }
    }
    threads
}

fn options() -> Result<(usize, usize), lexopt::Error> {
    use lexopt::prelude::*;
    let (mut frames, mut particles) = (300, 200_000);
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Long("frames") => frames = arguments.value()?.parse()?,
            Long("particles") => particles = arguments.value()?.parse()?,
            other => return Err(other.unexpected()),
        }
    }
    Ok((frames, particles))
}

fn main() -> ExitCode {
    match options() {
        Ok((frames, particles)) => {
            run(frames.max(1), particles);
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("rayon_in_frames: {problem} (the options are --frames N, --particles N)");
            ExitCode::from(2)
        }
    }
}

fn run(frames: usize, count: usize) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    let mut app = App::new();
    app.add_plugins((
        HeartbeatPlugin::default(),
        TaskPoolPlugin::default(),
        AssetPlugin {
            file_path: folder.to_string_lossy().into_owned(),
            ..Default::default()
        },
        ImagePlugin::default(),
    ));
    app.register_asset_loader(ImageLoader::new(Default::default()));
    let particle = |i: usize| Particle {
        depth: (i as f32 * 0.618_034).fract(),
        speed: 0.001 + (i % 97) as f32 * 1e-5,
    };
    app.insert_resource(Particles((0..count).map(particle).collect()));
    app.init_resource::<Report>().init_resource::<Loading>();
    app.add_systems(Update, (sort_particles, keep_loading));
    app.finish();
    app.cleanup();

    let server = app.world().resource::<AssetServer>().clone();
    let names: Vec<String> = std::fs::read_dir(folder.join("tiles"))
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(format!("tiles/{}", entry.ok()?.file_name().to_str()?)))
        .collect();
    let load = |name: &String| (name.clone(), server.load(name.clone()));
    app.world_mut().resource_mut::<Loading>().waiting = names.iter().map(load).collect();

    let bar = ProgressBar::new(frames as u64);
    let mut times = Vec::with_capacity(frames);
    for _ in 0..frames {
        let start = Instant::now();
        app.update();
        times.push(start.elapsed());
        bar.inc(1);
        std::thread::sleep(Duration::from_micros(16_667).saturating_sub(start.elapsed()));
    }
    bar.finish_and_clear();

    times.sort_unstable();
    let percentile = |part: usize| times[(times.len() * part / 100).min(times.len() - 1)];
    println!(
        "{frames} frames of {count} particles: p50 {:.2?}, p99 {:.2?}",
        percentile(50),
        percentile(99)
    );
    let world = app.world();
    let report = world.resource::<Report>();
    println!(
        "images decoded meanwhile: {}",
        world.resource::<Loading>().loaded
    );
    println!("pieces by rayon's thread index: {:?}", report.threads_seen);
    let jobs = world.resource::<HeartbeatMetrics>().read().total().jobs;
    println!(
        "the pool's jobs: {} of frames, rayon's among them, {} of io",
        jobs[Lane::Frame.index()],
        jobs[Lane::Io.index()]
    );
    println!("the process's threads: {:?}", threads());
    assert!(report.travelled > 0.0 || count == 0);
}
