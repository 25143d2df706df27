//! How many threads the system really runs at once: fewer than wanted, when other programs run.

use crate::table::factor;
use crate::work::spin::{Spinner, spin};
use std::hint::black_box;
use std::thread;
use std::time::{Duration, Instant};

/// Longer than the turns that the system gives to programs.
const LENGTH: Duration = Duration::from_millis(100);

/// Of so many threads that do nothing but compute.
#[must_use]
pub fn threads_at_once(threads: usize, spinner: Spinner) -> f64 {
    let steps = spinner.steps(LENGTH);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| black_box(spin(steps)));
        }
    });
    threads as f64 * LENGTH.as_secs_f64() / start.elapsed().as_secs_f64()
}

/// The same as text: so many of those that were wanted.
#[must_use]
pub fn free_threads(threads: usize, spinner: Spinner) -> String {
    format!("{} of {threads}", factor(threads_at_once(threads, spinner)))
}
