//! Whether a thread from outside is inside of a pool now.
//!
//! Others look through all seats that are listed. Where many threads from outside have come and
//! gone, those are left out that have been elsewhere for a while; a thread that comes back lists
//! its seat again before it queues anything. So a seat where work lies is listed.

use crate::sync::{AtomicUsize, Ordering};

type State = usize;
/// It is one of the pool's own threads', or has not come yet.
const OWN: State = 0;
const INSIDE: State = 1;
/// Outside, and inside since the last time that somebody looked.
const LEFT: State = 2;
/// Outside since before that.
const GONE: State = 3;
const UNLISTED: State = 4;

#[derive(Default)]
pub(crate) struct Presence(AtomicUsize);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Was {
    Inside,
    Outside,
    /// Its seat has to be listed again.
    Unlisted,
}

impl Presence {
    pub(crate) fn enter(&self) -> Was {
        // Acquire pairs with the Release in `age`: a thread that lists its seat finds it left out.
        match self.0.swap(INSIDE, Ordering::Acquire) {
            INSIDE => Was::Inside,
            UNLISTED => Was::Unlisted,
            _ => Was::Outside,
        }
    }

    /// The owner, which was outside before it came in, leaves.
    pub(crate) fn leave(&self) {
        // Release pairs with the Acquire in `age`, after which is seen what was queued.
        self.0.store(LEFT, Ordering::Release);
    }

    pub(crate) fn is_outsiders(&self) -> bool {
        // Relaxed: a guess.
        self.0.load(Ordering::Relaxed) != OWN
    }

    /// Whether the seat is to be left out from now on, as its owner has not come since the last but
    /// one call. The caller holds the lock of the list.
    pub(crate) fn age(&self) -> bool {
        // Acquire pairs with the Release in `leave`, Release with the Acquire in `enter`.
        let change = |from, to| {
            self.0
                .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed)
                .is_ok()
        };
        // Relaxed: looked at again as it changes.
        match self.0.load(Ordering::Relaxed) {
            LEFT => {
                change(LEFT, GONE);
                false
            }
            GONE => change(GONE, UNLISTED),
            _ => false,
        }
    }

    /// The seat is not left out after all, as something lies there. Its owner, if it has come
    /// meanwhile, lists it as well.
    pub(crate) fn take_back(&self) {
        // Relaxed: under the lock of the list, as is what rests on it.
        _ = self
            .0
            .compare_exchange(UNLISTED, GONE, Ordering::Relaxed, Ordering::Relaxed);
    }
}
