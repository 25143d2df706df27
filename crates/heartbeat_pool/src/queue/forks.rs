//! The second halves of a worker's offered joins, from its own side.
//!
//! All of them lie where others can take them, however deep: their owner may block at any moment,
//! in a way that the pool knows nothing of, and may wait for any of them. A pop from a deque that
//! others steal from costs a fence, some two nanoseconds more than it takes to keep a fork where
//! nobody sees it.

use crate::queue::deque::{Deque, Stealer};
use crate::queue::private::StackPtr;
use std::any::Any;

/// A stolen fork must be run: its owner waits for it.
pub(crate) struct ForkPtr(StackPtr);

// SAFETY: by the contract of `new` all that it points to may be sent, and a deque hands it to one
// thread.
unsafe impl Send for ForkPtr {}

impl ForkPtr {
    /// # Safety
    ///
    /// `fork` points to a second half whose closure and result are `Send`, and whose owner keeps it
    /// until it was run or taken back.
    pub(crate) const unsafe fn new(fork: StackPtr) -> Self {
        Self(fork)
    }

    /// Tells forks apart.
    pub(crate) fn data(&self) -> *const () {
        self.0.data
    }

    /// A number that tells it from other work.
    pub(crate) fn number(&self) -> u64 {
        self.0.number()
    }

    /// One to be counted, not run.
    #[cfg(all(test, not(heartbeat_loom)))]
    pub(crate) fn nothing() -> Self {
        Self(StackPtr {
            data: std::ptr::null(),
            run: |_, _| {},
        })
    }

    /// Runs the fork on the worker `thief`, which took it out of its owner's deque.
    pub(crate) fn run(self, thief: &dyn Any) {
        // SAFETY: it was taken out, so this is the only run, and by the contract of `new` the owner
        // keeps it till then.
        unsafe { (self.0.run)(self.0.data, thief) };
    }
}

/// Forks, newest last.
pub(crate) struct Forks(Deque<ForkPtr>);

impl Forks {
    pub(crate) fn new() -> Self {
        Self(Deque::new_lifo())
    }

    pub(crate) fn stealer(&self) -> Stealer<ForkPtr> {
        self.0.stealer()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a fork. True if others may have had none to take before it: asked after the push, so
    /// that whoever took the last one before it, and looked for more, is not relied on.
    #[inline]
    pub(crate) fn push(&self, fork: ForkPtr) -> bool {
        self.0.push(fork);
        self.0.len() <= 1
    }

    /// Takes the newest fork, `fork`, back. False if it was stolen: the oldest are first, so then
    /// there is none.
    #[inline]
    pub(crate) fn pop(&self, fork: *const ()) -> bool {
        let newest = self.0.pop();
        debug_assert!(
            newest.as_ref().is_none_or(|newest| newest.data() == fork),
            "joins end in the order of a stack"
        );
        newest.is_some()
    }

    /// Tells the others, before the owner sleeps, that there is nothing here, where that is so.
    pub(crate) fn rest(&self) {
        self.0.rest();
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    #[test]
    fn all_can_be_taken_and_the_first_one_is_news() {
        let forks = Forks::new();
        let stealer = forks.stealer();
        assert!(forks.push(ForkPtr::nothing()));
        assert!((0..200).all(|_| !forks.push(ForkPtr::nothing())));
        assert_eq!(stealer.len(), 201);
        assert!(forks.pop(std::ptr::null()));
        while stealer.steal().is_some() {}
        assert!(!forks.pop(std::ptr::null()) && forks.is_empty());
        assert!(forks.push(ForkPtr::nothing()));
    }
}
