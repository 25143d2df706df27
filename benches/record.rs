//! What recording every frame costs: frames of systems with parallel loops, recorded and not, in
//! turn.
//!
//! `cargo bench --bench record`
#![allow(missing_docs, reason = "a program")]

mod loops;

use bevy_app::App;
use bevy_heartbeat::HeartbeatPlugin;
use bevy_heartbeat::record::Record;
use heartbeat_pool::record::Recorder;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
const FRAMES: usize = 60;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The median of so many frames, in milliseconds.
fn frames(app: &mut App) -> f64 {
    let frame = |_| {
        let start = Instant::now();
        app.update();
        start.elapsed().as_secs_f64() * 1e3
    };
    median((0..FRAMES).map(frame).collect())
}

fn main() {
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
    frames(&mut app);
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        Recorder::start(Recorder::EVENTS);
        let on = frames(&mut app);
        Recorder::stop();
        let off = frames(&mut app);
        ratios.push(on / off);
    }
    println!("recorded to not recorded: {:.3}", median(ratios));
}
