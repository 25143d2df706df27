//! What recording every frame costs: frames of a small game and of the example `living_world`,
//! recorded and not, in turn.
//!
//! `cargo bench --bench record`
#![allow(missing_docs, reason = "a program")]

#[allow(dead_code, reason = "it is a program of its own")]
#[path = "../examples/living_world/main.rs"]
mod living_world;
mod loops;

use bevy_app::App;
use bevy_heartbeat::HeartbeatPlugin;
use bevy_heartbeat::record::Record;
use heartbeat_pool::record::Recorder;
use living_world::options::Options;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;
const FRAMES: usize = 60;

/// The middle of times or ratios.
fn median(of: &mut [f64]) -> f64 {
    of.sort_by(f64::total_cmp);
    of[of.len() / 2]
}

/// The median of so many frames, in milliseconds, after some for new rings.
fn frames(app: &mut App) -> f64 {
    (0..4).for_each(|_| app.update());
    let frame = |_| {
        let start = Instant::now();
        app.update();
        start.elapsed().as_secs_f64() * 1e3
    };
    median(&mut (0..FRAMES).map(frame).collect::<Vec<_>>())
}

/// A game of a few systems.
fn small() -> App {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        record: Record::LateFrames {
            over: Duration::MAX,
            keep: 40,
        },
        ..Default::default()
    });
    loops::mixed(&mut app);
    app.finish();
    app.cleanup();
    app
}

/// The example, once everything is loaded.
fn living() -> Result<App, String> {
    let options = Options {
        frames: u32::MAX,
        trace: Some(PathBuf::new()),
        ..Default::default()
    };
    let (folder, found) = living_world::find(&options)?;
    let mut app = living_world::build_app(&options, &folder, found);
    living_world::load(&mut app, &options);
    living_world::begin_to_live(&mut app, &options);
    Ok(app)
}

/// Frames that are recorded, each time between frames that are not.
fn compare(name: &str, mut app: App) {
    Recorder::stop();
    let mut before = frames(&mut app);
    let mut all = vec![before];
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        Recorder::start(Recorder::EVENTS);
        let on = frames(&mut app);
        Recorder::stop();
        let after = frames(&mut app);
        ratios.push(on / (0.5 * (before + after)));
        before = after;
        all.push(after);
    }
    println!("{name}: {:.2} ms a frame", median(&mut all));
    let middle = median(&mut ratios);
    // A median's own spread: between the ranks that hold it 19 times of 20.
    let half = (ROUNDS as f64).sqrt().round() as usize;
    let (low, high) = (ratios[ROUNDS / 2 - half], ratios[ROUNDS / 2 + half]);
    println!("recorded to not recorded: {middle:.3} ({low:.3} to {high:.3})\n");
}

fn main() -> Result<(), String> {
    compare("a small game", small());
    compare("living_world", living()?);
    Ok(())
}
