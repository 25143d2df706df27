//! A few jobs that are long enough to be worth a thread each.

use crate::answer::{Answer, check};
use crate::work::spin::spin;
use std::mem;

/// That many jobs of equal length.
pub struct Coarse {
    jobs: usize,
    /// Each job's [`spin`] steps.
    pub steps: u64,
    expected: u64,
}

impl Coarse {
    /// That many jobs of so many steps.
    #[must_use]
    pub fn new(jobs: usize, steps: u64) -> Self {
        Self {
            jobs,
            steps,
            expected: spin(steps),
        }
    }

    /// Calls `run` so often, each time with one place a job for what its spin gives.
    ///
    /// # Errors
    ///
    /// [`Refusal::Wrong`](crate::Refusal::Wrong).
    #[inline]
    pub fn repeat(&self, iterations: u64, mut run: impl FnMut(&mut [u64])) -> Answer {
        let mut results = vec![0; self.jobs];
        for _ in 0..iterations {
            run(&mut results);
            for result in &mut results {
                check(self.expected, mem::take(result))?;
            }
        }
        Ok(())
    }
}
