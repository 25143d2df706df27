//! What recording every frame costs: frames of a small game and of the example `living_world`,
//! recorded and not, in turn.
//!
//! `cargo bench --bench record`
#![allow(missing_docs, reason = "a program")]

#[allow(dead_code, reason = "it is a program of its own")]
#[path = "../examples/living_world/main.rs"]
mod living_world;
mod loops;
#[allow(dead_code, reason = "each bench uses a part")]
mod measure;

use bevy_app::App;
use bevy_heartbeat::HeartbeatPlugin;
use bevy_heartbeat::record::Record;
use heartbeat_pool::record::Recorder;
use indicatif::ProgressBar;
use living_world::options::Options;
use measure::median;
use std::path::PathBuf;
use std::time::{Duration, Instant};

const ROUNDS: usize = 100;
const FRAMES: usize = 60;
/// Frames before them, for new rings.
const UNTIMED: usize = 4;

struct Game {
    name: &'static str,
    app: App,
    /// Comes before the frames of each turn.
    begin: fn(&mut App),
    /// Comes after them, and fails unless so many frames have done what they are to do.
    check: fn(&mut App, u32),
}

impl Game {
    /// The median of a turn's frames, in milliseconds.
    fn frames(&mut self) -> f64 {
        let app = &mut self.app;
        (self.begin)(app);
        (0..UNTIMED).for_each(|_| app.update());
        let frame = |_| {
            let start = Instant::now();
            app.update();
            start.elapsed().as_secs_f64() * 1e3
        };
        let mut times: Vec<_> = (0..FRAMES).map(frame).collect();
        (self.check)(app, (UNTIMED + FRAMES) as u32);
        median(&mut times)
    }
}

/// A game of a few systems.
fn small() -> Game {
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
    Game {
        name: "a small game",
        app,
        begin: loops::begin_again,
        check: loops::check,
    }
}

/// The example, once everything is loaded. Its own test checks what its frames do.
fn living() -> Result<Game, String> {
    let options = Options {
        frames: u32::MAX,
        trace: Some(PathBuf::new()),
        ..Default::default()
    };
    let (folder, found) = living_world::find(&options)?;
    let mut app = living_world::build_app(&options, &folder, found);
    living_world::load(&mut app, &options);
    living_world::begin_to_live(&mut app, &options);
    Ok(Game {
        name: "living_world",
        app,
        begin: |_| (),
        check: |_, _| (),
    })
}

/// Frames that are recorded, each time between frames that are not.
fn compare(mut game: Game, bar: &ProgressBar) {
    let name = game.name;
    bar.set_message(name);
    Recorder::stop();
    let mut before = game.frames();
    let mut all = vec![before];
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        Recorder::start(Recorder::EVENTS);
        let on = game.frames();
        Recorder::stop();
        let after = game.frames();
        ratios.push(on / (0.5 * (before + after)));
        before = after;
        all.push(after);
        bar.inc(1);
    }
    let frame = median(&mut all);
    let middle = median(&mut ratios);
    // A median's own spread: between the ranks that hold it 19 times of 20.
    let half = (ROUNDS as f64).sqrt().round() as usize;
    let (low, high) = (ratios[ROUNDS / 2 - half], ratios[ROUNDS / 2 + half]);
    bar.suspend(|| {
        println!("{name}: {frame:.2} ms a frame");
        println!("recorded to not recorded: {middle:.3} ({low:.3} to {high:.3})\n");
    });
}

fn main() -> Result<(), String> {
    let bar = measure::bar(2 * ROUNDS);
    compare(small(), &bar);
    compare(living()?, &bar);
    bar.finish_and_clear();
    Ok(())
}
