//! Until when a thread's forks are hidden from thieves.

use crate::sync::{AtomicU64, Instant, Ordering};
use std::time::Duration;

pub(crate) struct Hidden {
    /// Until when, in nanoseconds from `start`; 0 if others may take it.
    until: AtomicU64,
    start: Instant,
}

impl Hidden {
    pub(crate) fn new() -> Self {
        Self {
            until: AtomicU64::new(0),
            start: Instant::now(),
        }
    }

    pub(crate) fn hide(&self, end: Instant) {
        let end = end.saturating_duration_since(self.start).as_nanos();
        // Relaxed, here and below: a thread that sees it late shares late or too much.
        self.until.store(end as u64, Ordering::Relaxed);
    }

    pub(crate) fn show(&self) {
        if self.until.load(Ordering::Relaxed) != 0 {
            self.until.store(0, Ordering::Relaxed);
        }
    }

    /// Whether it is kept from others, or was until just now.
    #[inline]
    pub(crate) fn is_set(&self) -> bool {
        self.until.load(Ordering::Relaxed) != 0
    }

    /// Whether others may take it.
    pub(crate) fn is_over(&self) -> bool {
        self.is_over_after(|| self.start.elapsed())
    }

    /// The same, by a clock that tells how much time has passed since this was made.
    pub(crate) fn is_over_after(&self, passed: impl FnOnce() -> Duration) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        until == 0 || passed().as_nanos() >= u128::from(until)
    }
}
