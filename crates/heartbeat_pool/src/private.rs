//! A worker's private jobs: what `join` pushes, that no other thread can see.

use std::cell::Cell;

/// Deeper than this, `join` makes plain calls (the trick is chili's): a job that far from the
/// oldest would be promoted many beats later, if ever.
const DEPTH: usize = 4;

/// A job that lies on its owner's stack, type-erased.
#[derive(Clone, Copy)]
pub(crate) struct StackPtr {
    pub(crate) data: *const (),
    /// Runs the job and stores its result; called once, while the owner waits.
    pub(crate) run: unsafe fn(*const ()),
}

/// A ring of stack jobs, pushed and popped as a stack by `join`, promoted from its old end.
pub(crate) struct PrivateQueue {
    jobs: [Cell<Option<StackPtr>>; DEPTH],
    /// Index of the oldest job still private; indices count pushes, so they only wrap in `jobs`.
    head: Cell<usize>,
    /// Index of the next push.
    tail: Cell<usize>,
}

impl PrivateQueue {
    pub(crate) const fn new() -> Self {
        Self {
            jobs: [const { Cell::new(None) }; DEPTH],
            head: Cell::new(0),
            tail: Cell::new(0),
        }
    }

    #[inline]
    pub(crate) fn is_full(&self) -> bool {
        self.tail.get() - self.head.get() == DEPTH
    }

    /// Pushes a job and gives its index. There must be room.
    #[inline]
    pub(crate) fn push(&self, job: StackPtr) -> usize {
        let index = self.tail.get();
        self.jobs[index % DEPTH].set(Some(job));
        self.tail.set(index + 1);
        index
    }

    /// Ends the newest push, `index`. False if it was promoted meanwhile.
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

    /// Takes the oldest job out, to promote it.
    pub(crate) fn take_oldest(&self) -> Option<(usize, StackPtr)> {
        let index = self.head.get();
        if index == self.tail.get() {
            return None;
        }
        self.head.set(index + 1);
        self.jobs[index % DEPTH].take().map(|job| (index, job))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING: StackPtr = StackPtr {
        data: std::ptr::null(),
        run: |_| {},
    };

    #[test]
    fn pops_tell_what_was_promoted() {
        let queue = PrivateQueue::new();
        let indices: Vec<_> = (0..DEPTH).map(|_| queue.push(NOTHING)).collect();
        assert!(queue.is_full());
        assert_eq!(queue.take_oldest().unwrap().0, indices[0]);
        assert_eq!(queue.take_oldest().unwrap().0, indices[1]);
        assert!(queue.pop(indices[3]));
        assert!(queue.pop(indices[2]));
        assert!(!queue.pop(indices[1]));
        assert!(!queue.pop(indices[0]));
        assert!(queue.take_oldest().is_none());
        let again = queue.push(NOTHING);
        assert!(queue.pop(again));
    }
}
