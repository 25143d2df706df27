//! How old the oldest of a thread's jobs and forks are, as far as others can tell before they take
//! them.
//!
//! In a pool whose threads run their newest first, what a thread has queued is one stack by its
//! age, and others take the oldest: where forks block until a job of the same thread has run that
//! was spawned before them, no thread may be left for that. Jobs, forks and scopes lie in queues of
//! their own, so a thread numbers what it queues ([`Age`]).

use crate::age::Age;
use crate::sync::{AtomicU64, Ordering};

/// Bounds, by [`Age::to_bits`]: who has taken the oldest doesn't know the next, but that it is
/// younger. Relaxed, all of them: who sees a job or a fork sees what came before it, and who reads
/// an older bound takes something for older than it is.
#[derive(Default)]
pub(crate) struct Elders {
    /// No younger than the oldest job, if there is one.
    job: AtomicU64,
    /// The same for forks.
    fork: AtomicU64,
}

impl Elders {
    /// Before the owner queues a job of this age where there is no other, or when all older ones have
    /// been taken.
    pub(crate) fn set_job(&self, age: Age) {
        self.job.store(age.to_bits(), Ordering::Relaxed);
    }

    /// The same for forks.
    pub(crate) fn set_fork(&self, age: Age) {
        self.fork.store(age.to_bits(), Ordering::Relaxed);
    }

    pub(crate) fn job(&self) -> Option<Age> {
        Age::from_bits(self.job.load(Ordering::Relaxed))
    }

    pub(crate) fn fork(&self) -> Option<Age> {
        Age::from_bits(self.fork.load(Ordering::Relaxed))
    }
}
