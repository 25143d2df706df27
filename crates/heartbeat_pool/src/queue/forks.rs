//! Second halves of joins, as queues hold them.
//!
//! Those of a worker's offered joins lie in a deque where others can take them, however deep: their
//! owner may block at any moment, in a way that the pool knows nothing of, and may wait for any of
//! them. A pop from a deque that others steal from costs a fence, some two nanoseconds more than it
//! takes to keep a fork where nobody sees it ([`private`](super::private)).

use crate::age::{Age, HasAge};
use std::any::Any;

/// A second half that lies on its owner's stack, type-erased. A stolen one must be run: its owner
/// waits for it.
pub(crate) struct ForkPtr {
    data: *const (),
    run: unsafe fn(*const (), &dyn Any),
}

// SAFETY: by the contract of `new` all that it points to may be sent.
unsafe impl Send for ForkPtr {}

impl ForkPtr {
    /// # Safety
    ///
    /// `data` points to a second half whose closure and result are `Send`. Whoever puts this where
    /// others take it keeps that until it was run or taken back. `run` may be called once then, on
    /// the [`Worker`](crate::Worker) that took it.
    pub(crate) const unsafe fn new(data: *const (), run: unsafe fn(*const (), &dyn Any)) -> Self {
        Self { data, run }
    }

    /// Tells forks apart.
    pub(crate) const fn data(&self) -> *const () {
        self.data
    }

    /// A number that tells it from other work for as long as its owner keeps it.
    pub(crate) fn number(&self) -> u64 {
        self.data.addr() as u64
    }
}

/// A fork on offer: its owner keeps it for as long as this is there.
pub(crate) struct Offered(ForkPtr);

impl Offered {
    /// # Safety
    ///
    /// What `fork` points to begins with its [`Age`], and its owner keeps it until
    /// it was run or taken back.
    pub(crate) const unsafe fn new(fork: ForkPtr) -> Self {
        Self(fork)
    }

    /// Tells forks apart.
    pub(crate) const fn data(&self) -> *const () {
        self.0.data()
    }

    /// See [`ForkPtr::number`].
    pub(crate) fn number(&self) -> u64 {
        self.0.number()
    }

    /// Runs the fork on the worker `thief`, which took it out of its owner's deque.
    pub(crate) fn run(self, thief: &dyn Any) {
        // SAFETY: it was taken out, so this is the only run, and by the contracts of both `new` the
        // owner keeps it until then.
        unsafe { (self.0.run)(self.0.data, thief) };
    }
}

impl HasAge for Offered {
    fn age(&self) -> Option<Age> {
        // SAFETY: it begins with this, by the contract of `new`, and is there as long as this is.
        Some(unsafe { *self.0.data.cast() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl ForkPtr {
        /// One to be counted, not run.
        pub(crate) const fn nothing() -> Self {
            Self {
                data: std::ptr::from_ref(&std::num::NonZeroU64::MIN).cast(),
                run: |_, _| {},
            }
        }
    }

    impl Offered {
        /// One to be counted, not run.
        pub(crate) const fn nothing() -> Self {
            Self(ForkPtr::nothing())
        }
    }
}
