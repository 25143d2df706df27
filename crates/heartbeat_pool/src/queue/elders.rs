//! Whether what a thread has spawned is older than its forks that others may take.
//!
//! In a pool whose threads run their newest first, a thread's jobs and forks are one stack by their
//! age, and others take the oldest: where forks block until a job of the same thread has run that
//! was spawned before them, no thread may be left for that. The two lie in deques of their own, so
//! ages are told by depth: how many forks of its thread were below a job when it was spawned.

use crate::sync::{AtomicUsize, Ordering};

#[derive(Default)]
pub(crate) struct Elders {
    /// The least depth of the jobs since there were none.
    depth: AtomicUsize,
    /// Forks of joins that go on which others have taken: the oldest, so that the next one to be
    /// taken has just so many below it.
    taken: AtomicUsize,
    /// The same, with those that somebody tries to take just now.
    claimed: AtomicUsize,
}

impl Elders {
    /// Before the owner queues a job, the only one or not, above so many forks that nobody has
    /// taken.
    pub(crate) fn spawn(&self, is_only: bool, forks: usize) {
        // Relaxed, here and for `depth` below: who sees the job in its deque sees this. One too few
        // has a job that is younger than a fork taken before that, one too many had no thread come
        // to it.
        let depth = self.taken.load(Ordering::Relaxed) + forks;
        let least = self.depth.load(Ordering::Relaxed);
        let least = if is_only { depth } else { least.min(depth) };
        self.depth.store(least, Ordering::Relaxed);
    }

    /// Calls `take`, which may take the oldest fork. Also gives how many are below that, or more
    /// where others try the same.
    pub(crate) fn take<T>(&self, take: impl FnOnce() -> Option<T>) -> Option<(T, usize)> {
        // Relaxed, here and below: before it is taken, so that who finds it gone sees it claimed.
        let below = self.claimed.fetch_add(1, Ordering::Relaxed);
        let taken = take();
        if taken.is_some() {
            self.taken.fetch_add(1, Ordering::Relaxed);
        } else {
            self.claimed.fetch_sub(1, Ordering::Relaxed);
        }
        taken.map(|taken| (taken, below))
    }

    /// The owner has ended a join whose fork was taken.
    pub(crate) fn end(&self) {
        // Who has taken it has counted it before it ran.
        self.taken.fetch_sub(1, Ordering::Relaxed);
        self.claimed.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether the oldest job, if there are some, is older than the oldest fork.
    pub(crate) fn are_older(&self) -> bool {
        self.are_older_than(self.claimed.load(Ordering::Relaxed))
    }

    /// Whether it is older than a fork with so many below it.
    pub(crate) fn are_older_than(&self, below: usize) -> bool {
        self.depth.load(Ordering::Relaxed) <= below
    }
}

impl Drop for Elders {
    fn drop(&mut self) {
        // All joins have ended, and nobody else is left who could try.
        debug_assert_eq!(self.taken.load(Ordering::Relaxed), 0);
        debug_assert_eq!(self.claimed.load(Ordering::Relaxed), 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_is_older_than_forks_that_come_after_it_and_younger_than_those_before() {
        let elders = Elders::default();
        elders.spawn(true, 0);
        assert!(elders.are_older(), "there were no forks");
        elders.spawn(true, 2);
        assert!(!elders.are_older(), "two are below it");
        for is_last in [false, true] {
            assert_eq!(elders.take(|| None::<()>), None);
            assert_eq!(elders.take(|| Some(())), Some(((), usize::from(is_last))));
            assert_eq!(elders.are_older(), is_last);
        }
        elders.spawn(false, 3);
        assert!(elders.are_older(), "the first job is there still");
        elders.spawn(true, 3);
        assert!(!elders.are_older());
        elders.end();
        elders.spawn(true, 0);
        assert!(elders.are_older(), "one join goes on whose fork was taken");
        elders.end();
    }
}
