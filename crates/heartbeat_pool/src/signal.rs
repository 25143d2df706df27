//! The wake-up that one wait for a future is owed.
//!
//! A thread has one parker, and so one token, for all of its waits. A poll may wait itself, and
//! that inner wait takes whatever token it meets; what the future's waker left for the outer one
//! must survive that. So each wait for a future has a flag of its own, and the token only ends a
//! sleep.

use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, Ordering};

/// Whether a future was woken since its owner last took that.
pub(crate) struct Signal {
    is_set: AtomicBool,
    owner: Arc<Parker>,
}

impl Signal {
    pub(crate) fn new(owner: Arc<Parker>) -> Self {
        Self {
            is_set: AtomicBool::new(false),
            owner,
        }
    }

    pub(crate) fn owner(&self) -> &Arc<Parker> {
        &self.owner
    }

    /// Leaves a wake-up. The owner looks for one before each of its sleeps in this wait, so one
    /// that is there already needs no second token.
    pub(crate) fn set(&self) {
        // Release pairs with the Acquire in `take`; Acquire, so that the writes of those that came
        // before are passed on.
        if !self.is_set.swap(true, Ordering::AcqRel) {
            self.owner.unpark();
        }
    }

    pub(crate) fn is_set(&self) -> bool {
        // Relaxed: `take` acquires what came before it.
        self.is_set.load(Ordering::Relaxed)
    }

    /// Takes the wake-up, if there is one. Owner only.
    #[must_use]
    pub(crate) fn take(&self) -> bool {
        // Acquire pairs with the Release in `set`.
        let taken = self.is_set() && self.is_set.swap(false, Ordering::Acquire);
        if taken {
            // Whoever it was meant for looks at what it waits for before it sleeps.
            self.owner.drop_token();
        }
        taken
    }
}

#[cfg(not(heartbeat_loom))]
impl std::task::Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.set();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.set();
    }
}
