//! Where a workload starts from.

use rayon::{ThreadPool, ThreadPoolBuilder};
use suite::program::Problem;

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
        let pool = ThreadPoolBuilder::new().build();
        let pool = pool.map_err(|error| {
            Problem::other(format!(
                "can't build a pool: {error}; end other programs, or raise the limit of threads"
            ))
        });
        Ok(Self::Install(pool?))
    }

    /// Calls it there.
    pub fn enter<R: Send>(&self, f: impl FnOnce() -> R + Send) -> R {
        match self {
            Self::Main => f(),
            Self::Install(pool) => pool.install(f),
        }
    }
}
