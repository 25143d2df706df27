//! How near forecasts come: frames of several shapes, recorded on one thread and on two. From those
//! on two, what one thread would take is forecast, and from those on one, what two would; and both
//! are measured, not recorded, in turn with the others. All are medians of frames, and medians of
//! the rounds that other programs have disturbed least: those in which frames were shortest.
//!
//! `cargo bench --bench forecast`, or `cargo bench --bench forecast -- WORD` for the workloads whose
//! names have that word.
#![allow(missing_docs, reason = "a program")]

mod living;
#[path = "../loops/mod.rs"]
mod loops;
mod workloads;

#[allow(dead_code, reason = "the example's own")]
#[path = "../../examples/living_world/creatures.rs"]
mod creatures;
#[allow(dead_code, reason = "the example's own")]
#[path = "../../examples/living_world/navigation.rs"]
mod navigation;
#[allow(dead_code, reason = "the example's own")]
#[path = "../../examples/living_world/terrain.rs"]
mod terrain;
#[allow(dead_code, reason = "the example's own")]
#[path = "../../examples/living_world/world_file.rs"]
mod world_file;

use bevy_app::App;
use bevy_heartbeat::HeartbeatPlugin;
use bevy_heartbeat::record::{FlightRecorder, Record};
use heartbeat_pool::record::Recorder;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;
/// Rounds that count: those with the shortest frames.
const COUNTED: usize = 5;
/// Frames that are recorded, and that are measured.
const FRAMES: usize = 30;
/// Frames after a change, until what is learnt from frames is learnt.
const SETTLE: usize = 60;
/// Frames in which the executor learns which way is the cheaper.
const LEARN: usize = 300;

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The median of so many frames, in microseconds.
fn frames(app: &mut App, count: usize) -> f64 {
    let frame = |_| {
        let start = Instant::now();
        app.update();
        start.elapsed().as_secs_f64() * 1e6
    };
    median((0..count).map(frame).collect())
}

fn resize(threads: usize) {
    if let Err(error) = heartbeat_pool::global().resize_to(threads) {
        panic!("the pool can't have {threads} threads: {error}");
    }
}

/// What the last frames' forecasts say of so many threads, in microseconds: their median.
fn forecast(app: &App, threads: usize) -> f64 {
    let trace = app.world().resource::<FlightRecorder>().trace();
    let time = |number| {
        let forecast = trace.forecast(number)?;
        let found = forecast.times.into_iter().find(|(n, ..)| *n == threads);
        found.map(|(_, time, _)| time.as_secs_f64() * 1e6)
    };
    let numbers = trace.frames().map(|(number, _)| number);
    median(numbers.filter_map(time).collect())
}

/// What frames take on some number of threads, and what they say of another.
struct Round {
    measured: f64,
    recorded: f64,
    forecast: f64,
}

/// Frames on so many threads, which are asked what they would take on `other`.
fn run(app: &mut App, threads: usize, other: usize) -> Round {
    resize(threads);
    frames(app, SETTLE);
    let measured = frames(app, FRAMES);
    Recorder::start(Recorder::EVENTS);
    let recorded = frames(app, FRAMES + 1);
    let forecast = forecast(app, other);
    Recorder::stop();
    Round {
        measured,
        recorded,
        forecast,
    }
}

fn app(set_up: fn(&mut App)) -> App {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        record: Record::LateFrames {
            over: Duration::MAX,
            keep: FRAMES - 1,
        },
        ..Default::default()
    });
    set_up(&mut app);
    app.finish();
    app.cleanup();
    app
}

/// The median of what was seen in the rounds with the shortest frames.
fn least_disturbed(mut rounds: Vec<(f64, f64)>) -> f64 {
    rounds.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    median(rounds.iter().take(COUNTED).map(|(_, seen)| *seen).collect())
}

/// What so many threads took, and what the frames on another number of them had said of it.
fn print(name: &str, threads: usize, on: &[Round], before: &[Round]) {
    let measured = on.iter().map(|round| (round.measured, round.measured));
    let measured = least_disturbed(measured.collect());
    let forecast = before.iter().map(|round| (round.recorded, round.forecast));
    let forecast = least_disturbed(forecast.collect());
    let error = (forecast / measured - 1.0) * 100.0;
    println!("{name:<40} {threads:>7} {forecast:>12.0} {measured:>12.0} {error:>+8.1} %");
}

fn main() {
    let word = std::env::args().skip(1).find(|word| !word.starts_with('-'));
    let is_wanted = |name: &str| word.as_deref().is_none_or(|word| name.contains(word));
    println!(
        "{:<40} {:>7} {:>12} {:>12} {:>10}",
        "microseconds, medians", "threads", "forecast", "measured", "error"
    );
    for (name, set_up) in workloads::ALL {
        if !is_wanted(name) {
            continue;
        }
        let mut app = app(set_up);
        frames(&mut app, LEARN);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            two.push(run(&mut app, 2, 1));
            one.push(run(&mut app, 1, 2));
        }
        print(name, 1, &one, &two);
        print(name, 2, &two, &one);
    }
}
