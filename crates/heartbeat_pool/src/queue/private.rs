//! A worker's private jobs: what `join` pushes, that no other thread can see.

use crate::queue::forks::ForkPtr;
use std::cell::Cell;

/// How many joins, one inside of another, put their second half here before those inside of them
/// make plain calls (the trick is chili's, which counts waiting jobs). A beat offers all that lie
/// here, which are older than those calls, and so likely larger.
const LEVELS: usize = 4;

/// A ring of second halves, pushed and popped as a stack by `join`, promoted from its old end.
#[derive(Default)]
pub(crate) struct PrivateQueue {
    jobs: [Cell<Option<ForkPtr>>; LEVELS],
    /// Index of the oldest job still private; indices count joins inside of one another, and wrap
    /// in `jobs` alone.
    head: Cell<usize>,
    /// Index of the next push.
    tail: Cell<usize>,
    /// Joins in progress that did not make plain calls.
    level: Cell<usize>,
    /// The level that [`LEVELS`] are counted from.
    base: Cell<usize>,
}

impl PrivateQueue {
    /// Whether joins inside of the present one should make plain calls.
    #[inline]
    pub(crate) fn is_deep(&self) -> bool {
        self.level.get() - self.base.get() >= LEVELS
    }

    /// Counts the levels from here on: a beat has found nothing older to share, so joins inside of
    /// the present one are worth keeping.
    pub(crate) fn rebase(&self) {
        self.base.set(self.level.get());
    }

    /// Begins a join: pushes its second half and gives its index. The queue must not be deep.
    #[inline]
    pub(crate) fn push(&self, job: ForkPtr) -> usize {
        let index = self.tail.get();
        // No older job is overwritten: each one private is of a level above the base.
        self.jobs[index % LEVELS].set(Some(job));
        self.tail.set(index + 1);
        self.level.set(self.level.get() + 1);
        index
    }

    /// Takes the newest push, `index`, back. False if it was promoted meanwhile.
    #[inline]
    pub(crate) fn pop(&self, index: usize) -> bool {
        debug_assert_eq!(
            self.tail.get(),
            index + 1,
            "joins end in the order of a stack"
        );
        self.tail.set(index);
        if self.head.get() <= index {
            return true;
        }
        // Promotion goes oldest first, so nothing older is private either.
        self.head.set(index);
        false
    }

    /// Ends a join, after its second half was popped and is over.
    #[inline]
    pub(crate) fn end(&self) {
        let level = self.level.get() - 1;
        self.level.set(level);
        if level < self.base.get() {
            self.base.set(level);
        }
    }

    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.tail.get() == self.head.get()
    }

    pub(crate) fn take_oldest(&self) -> Option<ForkPtr> {
        let index = self.head.get();
        if index == self.tail.get() {
            return None;
        }
        self.head.set(index + 1);
        self.jobs[index % LEVELS].take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: ForkPtr = ForkPtr::nothing();

    #[test]
    fn pops_tell_what_was_promoted() {
        let queue = PrivateQueue::default();
        let indices: Vec<_> = (0..LEVELS).map(|_| queue.push(NOTHING)).collect();
        assert!(queue.is_deep());
        assert!(queue.take_oldest().is_some() && queue.take_oldest().is_some());
        for (level, private) in [(3, true), (2, true), (1, false), (0, false)] {
            assert_eq!(queue.pop(indices[level]), private);
            queue.end();
        }
        assert!(queue.take_oldest().is_none());
        let again = queue.push(NOTHING);
        assert!(queue.pop(again));
        queue.end();
    }

    #[test]
    fn levels_count_from_where_a_beat_found_nothing() {
        let queue = PrivateQueue::default();
        let mut indices = Vec::new();
        for _ in 0..LEVELS {
            indices.push(queue.push(NOTHING));
            queue.take_oldest();
        }
        assert!(queue.is_deep());
        queue.rebase();
        assert!(!queue.is_deep());
        while let Some(index) = indices.pop() {
            assert!(!queue.pop(index));
            queue.end();
        }
        assert!(!queue.is_deep());
        for _ in 0..LEVELS {
            queue.push(NOTHING);
        }
        assert!(queue.is_deep(), "the base sinks with the level");
    }
}
