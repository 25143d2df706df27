//! The second halves of a worker's offered joins.
//!
//! All of them lie in a deque where others can take them, however deep: their owner may block at
//! any moment, in a way that the pool knows nothing of, and may wait for any of them. A pop from a
//! deque that others steal from costs a fence, some two nanoseconds more than it takes to keep a
//! fork where nobody sees it.

#[cfg(all(test, not(heartbeat_loom)))]
use crate::age::Aged;
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
    /// `half` points to a second half whose closure and result are `Send`, and whose owner keeps it
    /// until it was run or taken back.
    pub(crate) const unsafe fn new(half: StackPtr) -> Self {
        Self(half)
    }

    /// Tells forks apart.
    pub(crate) fn data(&self) -> *const () {
        self.0.data
    }

    pub(crate) fn number(&self) -> u64 {
        self.0.number()
    }

    /// One to be counted, not run.
    #[cfg(all(test, not(heartbeat_loom)))]
    pub(crate) fn nothing() -> Aged<Self> {
        let half = StackPtr {
            data: std::ptr::null(),
            run: |_, _| {},
        };
        Aged::new(Self(half), None)
    }

    /// Runs the fork on the worker `thief`, which took it out of its owner's deque.
    pub(crate) fn run(self, thief: &dyn Any) {
        // SAFETY: it was taken out, so this is the only run, and by the contract of `new` the owner
        // keeps it until then.
        unsafe { (self.0.run)(self.0.data, thief) };
    }
}
