//! How near forecasts come: frames of several shapes, recorded on one thread and on two. From those
//! on two, what one thread would take is forecast, and from those on one, what two would; and both
//! are measured, not recorded, in turn with the others. All are medians of frames, and medians of
//! the rounds that other programs have disturbed least: those in which frames were shortest.
//!
//! `cargo bench --bench forecast`, or `cargo bench --bench forecast -- WORD...` for the workloads
//! whose names have one of these words.
#![allow(missing_docs, reason = "a program")]

mod living;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "../loops/mod.rs"]
mod loops;
#[allow(dead_code, reason = "each bench uses a part")]
#[path = "../measure/mod.rs"]
mod measure;
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
use measure::median;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use workloads::Workload;

const ROUNDS: usize = 15;
/// Rounds that count: those with the shortest frames.
const COUNTED: usize = 5;
/// Frames that are recorded, and that are measured.
const FRAMES: usize = 30;
/// Frames after a change, until what is learnt from frames is learnt.
const SETTLE: usize = 60;
/// Frames in which the executor learns which way is the cheaper.
const LEARN: usize = 300;

/// The median of so many frames, in microseconds.
fn frames(app: &mut App, count: usize) -> f64 {
    let frame = |_| {
        let start = Instant::now();
        app.update();
        start.elapsed().as_secs_f64() * 1e6
    };
    median(&mut (0..count).map(frame).collect::<Vec<_>>())
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
    median(&mut numbers.filter_map(time).collect::<Vec<_>>())
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
    let seen = rounds.iter().take(COUNTED).map(|(_, seen)| *seen);
    median(&mut seen.collect::<Vec<_>>())
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

/// The workloads that have one of the words in their names; all, if there are no words.
fn wanted(words: &[String]) -> Result<Vec<Workload>, String> {
    let has = |(name, _): &Workload, word: &String| name.contains(word.as_str());
    for word in words {
        if !workloads::ALL.iter().any(|workload| has(workload, word)) {
            let names = workloads::ALL.map(|(name, _)| name).join("\n  ");
            return Err(format!(
                "no workload has `{word}` in its name; they are\n  {names}"
            ));
        }
    }
    let is_wanted =
        |workload: &Workload| words.is_empty() || words.iter().any(|word| has(workload, word));
    Ok(workloads::ALL.into_iter().filter(is_wanted).collect())
}

fn main() -> ExitCode {
    // Cargo adds it to the words.
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let wanted = match wanted(&words.collect::<Vec<_>>()) {
        Ok(wanted) => wanted,
        Err(problem) => {
            eprintln!("forecast: {problem}");
            return ExitCode::from(2);
        }
    };
    println!(
        "{:<40} {:>7} {:>12} {:>12} {:>10}",
        "microseconds, medians", "threads", "forecast", "measured", "error"
    );
    let bar = measure::bar(wanted.len() * ROUNDS);
    for (name, set_up) in wanted {
        bar.set_message(name);
        let mut app = app(set_up);
        frames(&mut app, LEARN);
        let (mut one, mut two) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            two.push(run(&mut app, 2, 1));
            one.push(run(&mut app, 1, 2));
            bar.inc(1);
        }
        bar.suspend(|| {
            print(name, 1, &one, &two);
            print(name, 2, &two, &one);
        });
    }
    bar.finish_and_clear();
    ExitCode::SUCCESS
}
