//! A scope's completion: a count of what still runs, and whom to wake at zero.

use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Ordering};

/// Counts pending work and unparks its owner when the last of it ends.
///
/// It is shared by reference count, never on the waiter's stack, so the one that sets it may
/// touch it afterwards.
#[derive(Debug)]
pub(crate) struct CountLatch {
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
        // AcqRel, so that a chain of finishers passes everyone's writes on.
        if self.pending.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.owner.unpark();
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        // Acquire pairs with the Release in `finish`.
        self.pending.load(Ordering::Acquire) == 0
    }

    pub(crate) fn wake_owner(&self) {
        self.owner.unpark();
    }
}
