//! Where a workload starts from.

use crate::problem::Problem;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Where a workload starts from.
pub enum Entry {
    /// The main thread, which is not in the global pool.
    Main,
    /// A thread of a pool of its own.
    Install(ThreadPool),
}

impl Entry {
    /// With a pool of as many threads as there are cores.
    pub fn install() -> Result<Self, Problem> {
        Ok(Self::Install(ThreadPoolBuilder::new().build()?))
    }

    /// Calls it there.
    pub fn enter<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Main => f(),
            Self::Install(pool) => pool.install(f),
        }
    }
}
