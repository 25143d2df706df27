//! How many threads a pool has, and changing that while it works.

use crate::pool::ThreadPool;
use std::io;

/// The most threads that a pool can be given; its counts are packed in 16 bits each.
pub(crate) const MOST_THREADS: usize = 1 << 14;

impl ThreadPool {
    /// How many threads are meant to run at once. Spare threads, which take the seats of waiting
    /// ones, come on top.
    #[must_use]
    pub fn num_threads(&self) -> usize {
        self.registry().frame().occupancy.target()
    }

    /// Whether anyone has chosen the number of threads yet, be it zero.
    #[must_use]
    pub fn is_sized(&self) -> bool {
        // Not asked of a pool that is made for it: that would settle its other settings.
        self.registry
            .get()
            .is_some_and(|registry| registry.frame().threads.is_sized())
    }

    /// Changes the number of threads, also while work runs: new ones start at once, surplus ones
    /// end as they go idle, and what is queued stays queued. With none left, whoever waits does
    /// the work.
    ///
    /// # Errors
    ///
    /// When `threads` is more than 16,384, with nothing changed; when the system refuses a thread.
    /// Then the pool runs with those that it has got, with none if there are none, and asks for the
    /// others again when something waits.
    pub fn resize_to(&self, threads: usize) -> io::Result<()> {
        if threads > MOST_THREADS {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                format!("a pool can't have {threads} threads: ask for {MOST_THREADS} at most"),
            ));
        }
        self.registry().resize(threads)
    }
}
