//! How those that miss a thread agree on who starts it, and what they do where the system refuses
//! it.

use crate::idle::waiters::Waiters;
use crate::sync::{AtomicBool, Instant, Mutex, Ordering, lock};
use std::time::Duration;

#[derive(Default)]
pub(crate) struct Spares {
    /// Whether a spare thread is being started: one at a time is enough, for it wakes the next.
    is_starting: AtomicBool,
    /// Whether the system has refused the last thread that was asked for.
    is_short: AtomicBool,
    /// When it did.
    refused: Mutex<Option<Instant>>,
}

impl Spares {
    /// Makes the caller the one who starts a thread, unless somebody does. That thread's search,
    /// which it is to begin before it calls [`started`](Self::started), finds what those
    /// that were refused here have queued.
    #[must_use]
    pub(crate) fn try_start(&self) -> bool {
        // SeqCst pairs with the store in `started`: the fence of a loser, which has queued
        // something, comes before that store, and the fence at the end of the winner's search after
        // it.
        !self.is_starting.swap(true, Ordering::SeqCst)
    }

    /// The next one may be started: this one searches, or won't be there.
    pub(crate) fn started(&self) {
        // SeqCst pairs with the swap in `try_start`.
        self.is_starting.store(false, Ordering::SeqCst);
    }

    pub(crate) fn is_short(&self) -> bool {
        // Relaxed: a thread that sleeps by an old answer is woken, see `refuse`.
        self.is_short.load(Ordering::Relaxed)
    }

    /// The system has refused a thread: whoever waits looks what it can do about that.
    pub(crate) fn refuse(&self, waiters: &Waiters) {
        let mut refused = lock(&self.refused);
        *refused = Some(Instant::now());
        // Relaxed: ordered by the lock of the waiters, which are listed before they look again.
        self.is_short.store(true, Ordering::Relaxed);
        drop(refused);
        waiters.wake_all();
    }

    /// No thread is missed any more, if `has_all`. That is asked under the lock of
    /// [`refuse`](Self::refuse): a thread that refuses one meanwhile has the last word.
    pub(crate) fn suffice_if(&self, has_all: impl FnOnce() -> bool) {
        let _refused = lock(&self.refused);
        if has_all() {
            self.is_short.store(false, Ordering::Relaxed);
        }
    }

    /// Whether the last refusal, if there was one, is `retry` ago, so that the system may be asked.
    pub(crate) fn may_ask(&self, retry: Duration) -> bool {
        !self.is_short() || lock(&self.refused).is_none_or(|refused| refused.elapsed() >= retry)
    }
}
