//! Whether a pool to which no spare threads come leaves what is queued, as far as threads that wait
//! there have seen: those that run may be blocked on just that, or compute for as long.

use super::stuck::RELIEF;
use crate::sync::{AtomicBool, Instant, Mutex, Ordering, lock};
use std::time::Duration;

/// If nobody has taken anything but its own for so long, threads that wait do, until one is free:
/// jobs that run for longer are worth a piece of another's work in between.
pub(crate) const FOR_LONG: Duration = RELIEF.saturating_mul(16);

/// How much was taken so far, and of what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Taken {
    OfAny(u64),
    OfSeats(u64),
}

#[derive(Debug, Default)]
pub(crate) struct Untaken {
    /// How much had been taken by the last look that saw something queued, and since when.
    seen: Mutex<Option<(Taken, Instant)>>,
    is_left: AtomicBool,
}

impl Untaken {
    /// Takes note of how much of the frame's work was `taken` so far, if some is queued, and tells
    /// whether that is left.
    pub(crate) fn look(&self, taken: Option<Taken>) -> bool {
        let mut seen = lock(&self.seen);
        match (*seen, taken) {
            (Some((before, since)), Some(now)) if before == now => {
                if since.elapsed() >= FOR_LONG {
                    // Relaxed, here and below: a thread that waits looks again, or does one piece
                    // more or less.
                    self.is_left.store(true, Ordering::Relaxed);
                }
            }
            _ => *seen = taken.map(|taken| (taken, Instant::now())),
        }
        taken.is_some() && self.is_left()
    }

    /// Whether threads that wait take what is queued.
    pub(crate) fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Relaxed)
    }

    /// Whether that has been so for a second.
    pub(crate) fn is_left_for_a_second(&self) -> bool {
        let is_old = |seen: &(Taken, Instant)| seen.1.elapsed() >= FOR_LONG * 16;
        self.is_left() && lock(&self.seen).as_ref().is_some_and(is_old)
    }

    /// A thread is free, which takes what is queued.
    pub(crate) fn end(&self) {
        if self.is_left() {
            *lock(&self.seen) = None;
            self.is_left.store(false, Ordering::Relaxed);
        }
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn where_nothing_is_queued_nothing_is_left() {
        let untaken = Untaken::default();
        let none = Some(Taken::OfAny(0));
        untaken.look(none);
        thread::sleep(FOR_LONG);
        assert!(untaken.look(none) && !untaken.look(None));
        untaken.end();
        assert!(!untaken.is_left() && !untaken.look(none));
    }
}
