//! How many threads a pool has, and changing that while it works.

use crate::pool::ThreadPool;
use crate::registry::Registry;
use crate::sync::{Arc, thread};
use std::io;

/// The most threads that a pool can be given; its counts are packed in 16 bits each.
pub(crate) const MOST_THREADS: usize = 1 << 14;

impl Registry {
    /// Sets the number of threads to what `change` makes of it, and starts those that are missing.
    fn resize(self: &Arc<Self>, change: impl Fn(usize) -> usize) -> io::Result<usize> {
        let frames = self.resize_team(self.frame(), &|now, _| change(now));
        self.size_lower()?;
        frames
    }
}

fn available() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

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
        self.registry().resize(|_| threads).map(drop)
    }

    /// As [`resize_to`](Self::resize_to), with as many threads as the machine runs in parallel.
    ///
    /// # Errors
    ///
    /// As [`resize_to`](Self::resize_to).
    pub fn resize_to_available(&self) -> io::Result<()> {
        self.resize_to(available())
    }

    /// Adds `threads` threads, up to 16,384 in all, and gives the number there are now.
    ///
    /// ```
    /// let pool = heartbeat_pool::ThreadPool::builder().num_threads(1).build().unwrap();
    /// assert_eq!(pool.grow(2).unwrap(), 3);
    /// assert_eq!(pool.shrink(1), 2);
    /// ```
    ///
    /// # Errors
    ///
    /// When the system refuses a thread, as [`resize_to`](Self::resize_to).
    pub fn grow(&self, threads: usize) -> io::Result<usize> {
        self.registry()
            .resize(|now| now.saturating_add(threads).min(MOST_THREADS))
    }

    /// Takes away `threads` threads, as far as there are so many, and gives the number left.
    pub fn shrink(&self, threads: usize) -> usize {
        // What is left runs already, so the system has nothing to refuse but a thread that it
        // refused before.
        let shrunk = self.registry().resize(|now| now.saturating_sub(threads));
        shrunk.unwrap_or_else(|_| self.num_threads())
    }

    /// As [`resize_to_available`](Self::resize_to_available), for a pool that has no threads;
    /// another one is left as it is.
    ///
    /// # Errors
    ///
    /// As [`resize_to`](Self::resize_to).
    pub fn populate(&self) -> io::Result<()> {
        let fill = |now| if now == 0 { available() } else { now };
        self.registry().resize(fill).map(drop)
    }

    /// Takes all threads away; each ends as it goes idle.
    pub fn depopulate(&self) {
        self.shrink(usize::MAX);
    }
}
