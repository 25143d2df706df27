//! How a scope's work is announced: by a ticket in the pool's queues, and to the scope's owner.

use crate::sync::{AtomicBool, Ordering, fence};

/// Who must hear of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Call {
    /// The sleeping owner, which will take it.
    Owner,
    /// The pool, by a ticket.
    Ticket,
    /// Those who have been called already.
    Nobody,
}

/// What pushers, takers of tickets and the owner tell one another.
///
/// A ticket stands for all that the scope has queued; at most one is queued at a time. Whoever
/// takes it calls [`taken`](Self::taken) before it looks for jobs, the owner calls
/// [`set_owner_asleep`](Self::set_owner_asleep) before its last look.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    queued: AtomicBool,
    owner_asleep: AtomicBool,
}

impl Tickets {
    /// After a job was queued: tells whom the caller must call for it. The owner is the best to run
    /// it, where `owner_may` run.
    #[must_use]
    pub(crate) fn pushed(&self, owner_may: impl FnOnce() -> bool) -> Call {
        // Pairs with the fence in `taken`: either this sees the ticket gone, or its taker sees the
        // job. And with the one in `set_owner_asleep`: either the owner sees the job, or this sees
        // that it sleeps.
        fence(Ordering::SeqCst);
        if self.owner_asleep.load(Ordering::Relaxed)
            && owner_may()
            && self.owner_asleep.swap(false, Ordering::Relaxed)
        {
            Call::Owner
        } else if self.claim() {
            Call::Ticket
        } else {
            Call::Nobody
        }
    }

    /// Whether no ticket is queued, a moment ago.
    pub(crate) fn is_ticketless(&self) -> bool {
        // Relaxed: `claim` decides.
        !self.queued.load(Ordering::Relaxed)
    }

    /// Whether the caller must queue a ticket for what it knows to be queued.
    #[must_use]
    pub(crate) fn claim(&self) -> bool {
        // Relaxed: `pushed` has fenced, and a thread that claims without that acts for jobs whose
        // pushers have. Acquire pairs with the Release in `taken`: a second ticket is not queued
        // before the first one is taken.
        !self.queued.load(Ordering::Relaxed) && !self.queued.swap(true, Ordering::Acquire)
    }

    /// The ticket was taken from the pool: the next push makes a new one.
    pub(crate) fn taken(&self) {
        // Release pairs with the Acquire in `claim`.
        self.queued.store(false, Ordering::Release);
        // Pairs with the fence in `pushed`.
        fence(Ordering::SeqCst);
    }

    /// The owner is about to sleep, and must look once more; or it no longer is.
    pub(crate) fn set_owner_asleep(&self, asleep: bool) {
        self.owner_asleep.store(asleep, Ordering::Relaxed);
        // Pairs with the fence in `pushed`.
        fence(Ordering::SeqCst);
    }
}
