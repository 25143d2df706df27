//! Frames of 32 systems of 20 to 200 us, alone and beside background tasks.

use crate::apps;
use crate::background::{Background, ROUND};
use crate::spread::Spread;
use bevy_app::App;
use std::thread;
use std::time::{Duration, Instant};
use suite::program::Options;
use suite::program::{Figures, Problem};
use suite::{FRAME, Spinner, percentile};

/// When a frame begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pace {
    /// 60 times a second.
    SixtyHertz,
    /// When the one before has ended.
    Busy,
}

const WARM_UP: usize = 30;
const TASKS: usize = 16;

/// An app, frame by frame.
pub struct Frames {
    spread: Spread,
    pace: Pace,
    next: Instant,
}

impl Frames {
    /// Puts the systems into an app.
    pub fn new(app: App, pace: Pace, spinner: Spinner) -> Self {
        let length = |system: u64| Duration::from_micros(20 + 180 * system / 31);
        let steps = (0..32).map(|system| spinner.steps(length(system)));
        Self::of(app, pace, steps.collect())
    }

    /// As [`new`](Self::new), with systems of so many steps.
    pub fn of(app: App, pace: Pace, steps: Vec<u64>) -> Self {
        let mut frames = Self {
            spread: Spread::wide(app, steps),
            pace,
            next: Instant::now(),
        };
        (0..WARM_UP).for_each(|_| _ = frames.step());
        frames
    }

    /// The app, to look at between frames.
    pub fn app(&mut self) -> &mut App {
        &mut self.spread.app
    }

    /// Waits until a frame is due and gives the seconds that its update took.
    pub fn step(&mut self) -> f64 {
        if self.pace == Pace::SixtyHertz {
            thread::sleep(self.next.saturating_duration_since(Instant::now()));
            // A frame that took too long delays the ones behind it.
            self.next = self.next.max(Instant::now() - FRAME) + FRAME;
        }
        let start = Instant::now();
        self.spread.update();
        start.elapsed().as_secs_f64()
    }

    /// The frames of such a while.
    pub fn run(&mut self, length: Duration) -> Vec<f64> {
        let start = Instant::now();
        let mut times = Vec::new();
        while start.elapsed() < length {
            times.push(self.step());
        }
        times
    }

    /// Whether each system has run in each frame.
    pub fn check(&self) -> Result<(), Problem> {
        self.spread.check()
    }
}

/// The two percentiles of frame times that are shown.
pub fn percentiles(name: &str, times: &[f64]) -> [(String, f64); 2] {
    [("p50", 0.5), ("p99", 0.99)]
        .map(|(metric, share)| (format!("{metric}-{name}"), percentile(times, share)))
}

/// Frames without and with endless background tasks.
pub fn with_background(options: &Options, pace: Pace) -> Figures {
    let spinner = Spinner::calibrate();
    let length = options.length(8.0);
    let mut frames = Frames::new(apps::app(), pace, spinner);
    let without = frames.run(length);
    let background = Background::start(TASKS, spinner);
    (0..WARM_UP).for_each(|_| _ = frames.step());
    let (before, start) = (background.rounds(), Instant::now());
    let with = frames.run(length);
    let rounds = (background.rounds() - before) as f64 / start.elapsed().as_secs_f64();
    background.stop()?;
    frames.check()?;
    let mut figures = Vec::from(percentiles("without", &without));
    figures.extend(percentiles("with", &with));
    figures.push(("background".to_owned(), rounds));
    let cores = rounds * ROUND.as_secs_f64();
    figures.push(("background-cores".to_owned(), cores));
    Ok(figures)
}
