//! Why was this frame late? A small game in which one frame now and then takes much longer, and
//! what the flight recorder says of it.
//!
//! `cargo run --release --example late_frame` writes the late frames to `traces/`, each as a page
//! for any browser, as a trace for Perfetto and as text, and prints the text of the last one.
//! Another folder can be given as an argument.

use bevy_app::{App, Last, PreUpdate, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::record::{FlightRecorder, Record};
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;
use std::time::Duration;

/// Frames that are run, and which of them is late.
const FRAMES: u32 = 240;
const LATE: u32 = 60;
const CREATURES: usize = 50_000;

#[derive(Component)]
struct Position(f32);
#[derive(Component)]
struct Velocity(f32);
#[derive(Component)]
struct Hunger(f32);

#[derive(Resource, Default)]
struct FrameNumber(u32);

/// Some arithmetic, about so many nanoseconds of it.
fn think(seed: f32, nanos: u32) -> f32 {
    (0..nanos).fold(seed, |value, _| black_box(value * 0.999 + 0.001))
}

fn count(mut number: ResMut<FrameNumber>) {
    number.0 += 1;
}

fn wander(mut creatures: ParQuery<(&mut Position, &Velocity)>) {
    creatures
        .par_iter_mut()
        .for_each(|(mut position, velocity)| position.0 = think(position.0, 60) + velocity.0);
}

fn grow_hungry(mut creatures: ParQuery<&mut Hunger>) {
    creatures
        .par_iter_mut()
        .for_each(|mut hunger| hunger.0 = think(hunger.0, 30));
}

/// Wants what `wander` writes, so one of them has to wait for the other.
fn find_paths(number: Res<FrameNumber>, creatures: Query<&Position>) {
    // Now and then all paths are sought anew, on one thread: this is what makes the frame late.
    let all = number.0.is_multiple_of(LATE);
    let creatures = creatures.iter().take(if all { CREATURES } else { 200 });
    black_box(
        creatures
            .map(|position| think(position.0, 500))
            .sum::<f32>(),
    );
}

fn draw() {
    // A wait that the pool knows nothing of, such as for a screen.
    thread::sleep(Duration::from_micros(300));
}

fn main() -> ExitCode {
    let folder = std::env::args_os()
        .nth(1)
        .map_or_else(|| "traces".into(), PathBuf::from);
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        record: Record::LateFrames {
            over: Duration::from_millis(50),
            keep: 4,
        },
        record_to: folder.clone(),
        ..Default::default()
    });
    app.init_resource::<FrameNumber>();
    app.add_systems(PreUpdate, count);
    app.add_systems(Update, (wander, grow_hungry, find_paths));
    app.add_systems(Last, draw);
    app.finish();
    app.cleanup();
    let creature = |i: usize| (Position(i as f32), Velocity(0.1), Hunger(0.0));
    app.world_mut().spawn_batch((0..CREATURES).map(creature));
    (0..FRAMES).for_each(|_| app.update());
    // By a key or a command a game would do the same.
    let recorder = app.world().resource::<FlightRecorder>();
    let late = recorder.files();
    let last = folder.join("last-frames.html");
    if let Err(error) = recorder.save(&last) {
        eprintln!("late_frame: {error}");
        return ExitCode::FAILURE;
    }
    println!("{}", recorder.trace().report());
    println!(
        "{late} late frames in {}, the last frames in {}",
        folder.display(),
        last.display()
    );
    ExitCode::SUCCESS
}
