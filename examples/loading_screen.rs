//! A loading screen: a bar, failures by name, and the game begins when all jobs of the state are
//! over. `cargo run --example loading_screen`

use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::prelude::*;
use bevy_state::app::{AppExtStates, StatesPlugin};
use bevy_state::prelude::*;
use std::io;
use std::path::Path;

#[derive(States, Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
enum Screen {
    #[default]
    Loading,
    Playing,
}

/// The files that were read, and those that were not.
#[derive(Resource, Default)]
struct Files {
    bytes: usize,
    failed: Vec<String>,
}

/// One job for each file; a missing one is a failure, which the game survives.
fn load(mut commands: Commands) {
    for name in [
        "assets/archipelago.world",
        "assets/no such file",
        "assets/tiles",
    ] {
        commands
            .spawn_job(Lane::Io, move |cx| read(cx, name))
            .named(name)
            .insert(DespawnOnExit(Screen::Loading));
    }
}

/// Reads a file, or all files of a folder, and tells how far it is.
async fn read(cx: JobContext, name: &'static str) -> Result<(), WorldError> {
    let list = move || {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(name);
        match path.read_dir() {
            Ok(folder) => folder.flatten().map(|entry| entry.path()).collect(),
            Err(_) => vec![path],
        }
    };
    let paths = cx.blocking(list).await;
    let total = paths.len() as u32;
    // As soon as it is known, for the bar goes back by it.
    cx.progress().set(0, total);
    for (done, path) in (1..).zip(paths) {
        let file: io::Result<Vec<u8>> = cx.blocking(|| std::fs::read(path)).await;
        cx.progress().set(done, total);
        cx.with(move |mut files: ResMut<Files>| match file {
            Ok(bytes) => files.bytes += bytes.len(),
            Err(error) => files.failed.push(format!("{name}: {error}")),
        })
        .await?;
    }
    Ok(())
}

/// The bar.
fn draw(jobs: StateJobs<Screen>, mut last: Local<Progress>) {
    let progress = jobs.progress(&Screen::Loading);
    if progress != *last {
        *last = progress;
        println!("{:3.0} %", 100.0 * progress.fraction());
    }
}

/// What went wrong is said, by name; a panic too.
fn play(files: Res<Files>, jobs: StateJobs<Screen>, mut next: ResMut<NextState<Screen>>) {
    files.failed.iter().for_each(|file| println!("{file}"));
    for job in jobs.failures(&Screen::Loading) {
        println!("{}: {:?}", job.name(), job.error());
    }
    next.set(Screen::Playing);
}

/// Runs the app until the game begins.
pub fn main() {
    let mut app = App::new();
    app.add_plugins((HeartbeatPlugin::default(), StatesPlugin))
        .init_state::<Screen>()
        .init_resource::<Files>()
        .add_systems(OnEnter(Screen::Loading), load);
    let is_loaded = in_state(Screen::Loading).and_then(jobs_done(Screen::Loading));
    app.add_systems(Update, (draw, play.run_if(is_loaded)).chain());
    while *app.world().resource::<State<Screen>>().get() == Screen::Loading {
        app.update();
        std::thread::yield_now();
    }
    let files = app.world().resource::<Files>();
    assert!(files.bytes > 100_000);
    assert_eq!(files.failed.len(), 1);
    println!("{} bytes; the game begins", files.bytes);
}
