//! How one process takes its figures.

use std::time::{Duration, Instant};
use suite::{Answer, CpuClock, Refusal, median};

/// Names and figures, as they are printed.
pub type Figures = Vec<(&'static str, f64)>;

/// Takes samples until their time is up.
#[derive(Clone, Copy, Debug)]
pub struct Sampler {
    limit: Duration,
}

impl Sampler {
    /// Samples for about so long.
    pub fn new(limit: Duration) -> Self {
        Self { limit }
    }

    /// For about how long.
    pub fn limit(self) -> Duration {
        self.limit
    }

    /// The median time of an iteration, and the CPU seconds a second. What takes longer than the
    /// limit runs once; all else runs before the clock counts.
    ///
    /// # Errors
    ///
    /// What `work` says.
    pub fn run(self, mut work: impl FnMut(u64) -> Answer) -> Result<Figures, Refusal> {
        let mut iterations = 1;
        let cpu = CpuClock::start();
        let mut time = Self::time(&mut work, iterations)?;
        let first = vec![("time", time), ("cpu", cpu.elapsed() / time)];
        if time >= self.limit.as_secs_f64() {
            return Ok(first);
        }
        while time * 8.0 < self.limit.as_secs_f64() {
            iterations *= 2;
            time = Self::time(&mut work, iterations)?;
        }
        let (cpu, start) = (CpuClock::start(), Instant::now());
        let mut times = Vec::new();
        while times.is_empty() || start.elapsed() < self.limit {
            times.push(Self::time(&mut work, iterations)? / iterations as f64);
        }
        let wall = start.elapsed().as_secs_f64();
        Ok(vec![
            ("time", median(&times)),
            ("cpu", cpu.elapsed() / wall),
        ])
    }

    fn time(work: &mut impl FnMut(u64) -> Answer, iterations: u64) -> Result<f64, Refusal> {
        let start = Instant::now();
        work(iterations)?;
        Ok(start.elapsed().as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn what_takes_long_runs_once() -> Result<(), Refusal> {
        let mut runs = 0;
        let sampler = Sampler::new(Duration::from_millis(2));
        let figures = sampler.run(|iterations| {
            runs += iterations;
            thread::sleep(Duration::from_millis(3));
            Ok(())
        })?;
        assert_eq!(runs, 1);
        assert!(figures[0].1 >= 0.003);
        Ok(())
    }

    #[test]
    fn a_wrong_answer_is_no_sample() {
        let sampler = Sampler::new(Duration::from_millis(2));
        let refused = sampler.run(|_| suite::check(1, 2));
        assert!(refused.is_err());
    }
}
