//! What the benches measure and print with.

use indicatif::{ProgressBar, ProgressStyle};
use std::time::Instant;

/// The median seconds of a call of each of `ways`, in rounds of `repeats` calls: so many that
/// reading the clock takes no time beside them. A further round, the first one, warms up. Every
/// other round goes backwards, as whoever comes first may find the machine in another state.
pub fn alternate<F: FnMut()>(rounds: usize, repeats: usize, ways: &mut [F]) -> Vec<f64> {
    let mut times = vec![Vec::new(); ways.len()];
    for round in 0..=rounds {
        let mut run = |(way, times): (&mut F, &mut Vec<f64>)| {
            let start = Instant::now();
            (0..repeats).for_each(|_| way());
            let taken = start.elapsed().as_secs_f64();
            if round > 0 {
                times.push(taken / repeats as f64);
            }
        };
        let pairs = ways.iter_mut().zip(&mut times);
        if round % 2 == 0 {
            pairs.for_each(&mut run);
        } else {
            pairs.rev().for_each(&mut run);
        }
    }
    times.iter_mut().map(|times| median(times)).collect()
}

/// The middle of some numbers; of two in the middle, what lies between them.
pub fn median(of: &mut [f64]) -> f64 {
    of.sort_by(f64::total_cmp);
    (of[(of.len() - 1) / 2] + of[of.len() / 2]) / 2.0
}

/// What so many percent are at most, by the nearest rank.
pub fn percentile<T: Copy + Ord>(of: &mut [T], percent: usize) -> T {
    of.sort();
    let rank = (of.len() * percent).div_ceil(100);
    of[rank.max(1) - 1]
}

/// A bar of so many steps, below what is printed by its `suspend`. It is on stderr, where that is a
/// terminal.
pub fn bar(steps: usize) -> ProgressBar {
    let bar = ProgressBar::new(steps as u64);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} {eta:>4} {msg}") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
