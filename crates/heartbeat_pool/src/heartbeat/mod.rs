//! The heartbeat: how a worker learns, at the cost of one relaxed load a fork, that it is time to
//! share. The protocol and its argument are in the `README.md` beside this file.

use crate::sync::{AtomicBool, Ordering};

/// One seat's beat: raised by an idle worker, answered by the seat's owner when it promotes.
pub(crate) struct Beat {
    /// Whether the owner's next fork must do more than call both halves. Not while its joins are
    /// deep and no beat is raised.
    gate: AtomicBool,
    raised: AtomicBool,
    /// Whether it was raised by a thread that waits for what the owner runs.
    has_waiter: AtomicBool,
}

impl Beat {
    /// A raised beat, so that a first coarse fork is shared at once.
    pub(crate) fn new() -> Self {
        Self {
            gate: AtomicBool::new(true),
            raised: AtomicBool::new(true),
            has_waiter: AtomicBool::new(false),
        }
    }

    /// Asks the owner to share. It may be seen late, and what is up is only read: see `README.md`.
    pub(crate) fn raise(&self) {
        // Relaxed, all: should the owner see the gate first, it sees the beat at its next look. An
        // owner that has answered its beat and then fenced is seen to by whoever fences before it
        // raises.
        for flag in [&self.raised, &self.gate] {
            if !flag.load(Ordering::Relaxed) {
                flag.store(true, Ordering::Relaxed);
            }
        }
    }

    pub(crate) fn raise_for_waiter(&self) {
        // Relaxed: should the owner see the beat first, it shares if there is room.
        self.has_waiter.store(true, Ordering::Relaxed);
        self.raise();
    }

    pub(crate) fn has_waiter(&self) -> bool {
        self.has_waiter.load(Ordering::Relaxed)
    }

    pub(crate) fn take_waiter(&self) -> bool {
        let has_waiter = self.has_waiter();
        if has_waiter {
            self.has_waiter.store(false, Ordering::Relaxed);
        }
        has_waiter
    }

    /// Whether a fork may be two plain calls.
    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        // Relaxed: a beat that is seen late costs no more than its lateness.
        !self.gate.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn is_raised(&self) -> bool {
        // Relaxed: as in `is_closed`.
        self.raised.load(Ordering::Relaxed)
    }

    /// The owner has shared, or has nobody to share with.
    #[inline]
    pub(crate) fn answer(&self) {
        self.raised.store(false, Ordering::Relaxed);
    }

    /// The owner's joins are deep enough: forks are calls until the next beat.
    #[inline]
    pub(crate) fn close(&self) {
        self.gate.store(false, Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn open(&self) {
        self.gate.store(true, Ordering::Relaxed);
    }
}
