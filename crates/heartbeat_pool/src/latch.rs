//! A scope's completion: a count of what still runs, and whom to wake at zero.

use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Ordering};

/// The owner counts what it begins and finishes itself by itself, and tells of it before it sleeps.
///
/// It is shared by reference count, never on the waiter's stack, so whoever finishes last may touch
/// it afterwards.
pub(crate) struct CountLatch {
    /// What is pending, less what the owner has not told; below zero, that is at the other end of
    /// the numbers, where others have finished some of that.
    pending: AtomicUsize,
    owner: Arc<Parker>,
}

impl CountLatch {
    pub(crate) fn new(owner: Arc<Parker>) -> Self {
        Self {
            pending: AtomicUsize::new(0),
            owner,
        }
    }

    pub(crate) fn begin(&self) {
        // Relaxed: whoever begins work is the owner, or is itself counted, so the count can't be
        // zero and be seen so in between.
        self.pending.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn finish(&self) {
        // Release pairs with the Acquire in `is_done`: what the work wrote is seen by the owner.
        // AcqRel, so that a chain of finishers passes everyone's writes on. Where the owner has not
        // told all, this may wake it in vain.
        if self.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.owner.unpark();
        }
    }

    /// Whether all is over, where `untold` is what the owner has begun, less what it has finished,
    /// and not told.
    pub(crate) fn is_done(&self, untold: usize) -> bool {
        // Acquire pairs with the Release in `finish`.
        self.pending.load(Ordering::Acquire).wrapping_add(untold) == 0
    }

    /// The owner tells what it has not: the thread that finishes the last from now on wakes it. It
    /// must ask [`is_done`](Self::is_done) once more before it sleeps.
    pub(crate) fn settle(&self, untold: usize) {
        if untold != 0 {
            // Relaxed: whoever has finished before this is acquired by `is_done`.
            self.pending.fetch_add(untold, Ordering::Relaxed);
        }
    }

    pub(crate) fn wake_owner(&self) {
        self.owner.unpark();
    }
}
