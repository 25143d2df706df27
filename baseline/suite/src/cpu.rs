//! The process's CPU time.

use cpu_time::ProcessTime;

/// CPU time from a moment on, of all threads together.
#[derive(Clone, Copy, Debug)]
pub struct CpuClock(ProcessTime);

impl CpuClock {
    /// From now on.
    #[must_use]
    pub fn start() -> Self {
        Self(ProcessTime::now())
    }

    /// The seconds used so far.
    #[must_use]
    pub fn elapsed(self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
