//! How far a job is.

use std::iter::Sum;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many steps are done, of how many.
///
/// ```
/// use bevy_heartbeat::Progress;
/// let all: Progress = [Progress { done: 1, total: 4 }, Progress { done: 2, total: 2 }].into_iter().sum();
/// assert_eq!(all, Progress { done: 3, total: 6 });
/// assert_eq!(all.fraction(), 0.5);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Steps that are done.
    pub done: u32,
    /// All steps. A job that has set no total counts as one step;
    /// [its own meter](ProgressMeter::get) says 0, and so does a state that has no jobs.
    pub total: u32,
}

impl Progress {
    /// From 0 to 1; 0 where the number of steps is not known.
    #[must_use]
    pub fn fraction(self) -> f32 {
        if self.total == 0 {
            0.0
        } else {
            (self.done as f32 / self.total as f32).min(1.0)
        }
    }
}

impl Sum for Progress {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        let (done, total) = all.fold((0_u64, 0_u64), |(done, total), one| {
            (done + u64::from(one.done), total + u64::from(one.total))
        });
        // Sums that are too big are counted in bigger steps, which leaves the fraction as it is.
        let too_many = u64::BITS - (done | total).leading_zeros();
        let bigger = too_many.saturating_sub(u32::BITS);
        Self {
            done: (done >> bigger) as u32,
            total: ((total >> bigger) as u32).max(u32::from(total > 0)),
        }
    }
}

/// Where a job writes how far it is: [`JobContext::progress`](crate::JobContext::progress).
#[derive(Debug, Default)]
pub struct ProgressMeter {
    /// The total above, what is done below: one number, so that the two fit each other. Relaxed:
    /// nothing else is read on the strength of it.
    both: AtomicU64,
}

impl ProgressMeter {
    /// `done` steps of `total` are done.
    pub fn set(&self, done: u32, total: u32) {
        let both = u64::from(total) << 32 | u64::from(done);
        self.both.store(both, Ordering::Relaxed);
    }

    /// So many more steps are done. Say first by [`set`](Self::set) how many there are: until then
    /// the job counts as one step, and looks complete with the first.
    pub fn add(&self, steps: u32) {
        let more = |both: u64| {
            let done = (both as u32).saturating_add(steps);
            Some(both >> 32 << 32 | u64::from(done))
        };
        // `more` always has an answer.
        let _ = self
            .both
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// What was written last.
    #[must_use]
    pub fn get(&self) -> Progress {
        let both = self.both.load(Ordering::Relaxed);
        Progress {
            done: both as u32,
            total: (both >> 32) as u32,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_count_goes_beyond_its_end() {
        let meter = ProgressMeter::default();
        meter.set(5, 10);
        meter.add(u32::MAX);
        let (done, total) = (u32::MAX, 10);
        assert_eq!(meter.get(), Progress { done, total });
        assert_eq!(meter.get().fraction(), 1.0);
        // All there is to do vanishes beside what is done.
        let sum: Progress = (0..3).map(|_| Progress { done, total: 1 }).sum();
        assert_eq!(sum.fraction(), 1.0);
    }

    #[test]
    fn a_big_sum_keeps_its_fraction() {
        let one = Progress {
            done: 2_500_000_000,
            total: 3_000_000_000,
        };
        for count in [1, 2, 1000] {
            let sum: Progress = (0..count).map(|_| one).sum();
            assert!((sum.fraction() - one.fraction()).abs() < 1e-6, "{sum:?}");
        }
    }
}
