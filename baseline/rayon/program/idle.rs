//! Calls that ask for nothing, sixty times a second: what a pool costs that has hardly any work.

use crate::entry::Entry;
use crate::paced::{WARM_UP, frames};
use rayon::{join, scope, spawn};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;
use suite::program::{Figures, Options, check, named};
use suite::{FRAME, median, percentile};

/// A spawned job of the last call has so many milliseconds to run.
const PATIENCE: u32 = 1000;

/// What is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// A job that nobody waits for.
    Spawn,
    /// A join of two.
    Join,
    /// A scope of two jobs.
    Scope,
}

impl Call {
    /// Jobs of a call.
    fn jobs(self) -> u32 {
        match self {
            Self::Spawn => 1,
            Self::Join | Self::Scope => 2,
        }
    }

    fn call(self, done: &Arc<AtomicU32>) {
        let count = || _ = done.fetch_add(1, Ordering::Relaxed);
        match self {
            Self::Spawn => {
                let done = done.clone();
                spawn(move || _ = done.fetch_add(1, Ordering::Relaxed));
            }
            Self::Join => _ = join(count, count),
            Self::Scope => scope(|scope| {
                scope.spawn(|_| count());
                scope.spawn(|_| count());
            }),
        }
    }
}

/// Times of calls, and the CPU seconds of a call with the sleep behind it and of a sleep alone.
pub fn run(options: &Options, entry: &Entry, call: Call) -> Figures {
    let count = options.length(3.0).div_duration_f64(FRAME) as u32;
    let done = Arc::new(AtomicU32::new(0));
    let calls = frames(count, || entry.enter(|| call.call(&done)))?;
    let expected = (WARM_UP + count) * call.jobs();
    for _ in 0..PATIENCE {
        if done.load(Ordering::Relaxed) == expected {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    check("the count of jobs", expected, done.load(Ordering::Relaxed))?;
    let sleeps = frames(count, || ())?;
    Ok(named([
        ("call", median(&calls.times)),
        ("p99", percentile(&calls.times, 0.99)),
        ("cpu-call", calls.cpu / f64::from(count)),
        ("cpu-sleep", sleeps.cpu / f64::from(count)),
        ("cpu", calls.cpu / calls.wall),
    ]))
}
