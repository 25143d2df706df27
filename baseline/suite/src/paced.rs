//! A game's pace: a little work, then sleep, sixty times a second.

use crate::cpu::CpuClock;
use std::thread;
use std::time::{Duration, Instant};

/// From one frame's beginning to the next one's.
pub const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);

/// What paced frames took.
#[derive(Clone, Debug, Default)]
pub struct Paced {
    /// The seconds of each frame's work.
    pub times: Vec<f64>,
    /// CPU seconds of the whole process, sleep and all.
    pub cpu: f64,
    /// Seconds from the first frame to the end of the last sleep.
    pub wall: f64,
}

impl Paced {
    /// Runs so many frames, 60 a second, and sleeps between them.
    ///
    /// # Errors
    ///
    /// The first frame's that has one.
    pub fn run<E>(count: u32, mut frame: impl FnMut() -> Result<(), E>) -> Result<Self, E> {
        let mut times = Vec::new();
        let cpu = CpuClock::start();
        let start = Instant::now();
        for number in 1..=count {
            let begin = Instant::now();
            frame()?;
            times.push(begin.elapsed().as_secs_f64());
            thread::sleep((start + FRAME * number).saturating_duration_since(Instant::now()));
        }
        Ok(Self {
            times,
            cpu: cpu.elapsed(),
            wall: start.elapsed().as_secs_f64(),
        })
    }
}
