//! A thread's parking place: one token, so an `unpark` that comes first is never lost.

use crate::core::Core;
#[cfg(not(heartbeat_loom))]
use crate::sync::Arc;
use crate::sync::{AtomicU8, Condvar, Mutex, Ordering, lock};
use std::sync::PoisonError;
use std::time::Duration;

/// Nobody parks, no token.
const EMPTY: u8 = 0;
/// The owner sleeps, or is about to.
const PARKED: u8 = 1;
/// A token waits for the owner.
const NOTIFIED: u8 = 2;

/// Parks its owner thread until another thread unparks it.
///
/// | state    | `park`                | `unpark`                  |
/// | -------- | --------------------- | ------------------------- |
/// | EMPTY    | -> PARKED, sleeps     | -> NOTIFIED               |
/// | PARKED   | (owner only)          | -> NOTIFIED, wakes owner  |
/// | NOTIFIED | -> EMPTY, returns     | stays                     |
///
/// There is one parker a thread, shared by every wait on that thread, so a wait may wake for
/// another one's event: each re-checks its own condition before it parks.
#[derive(Debug)]
pub(crate) struct Parker {
    state: AtomicU8,
    lock: Mutex<()>,
    wake: Condvar,
    /// Where the owner sleeps.
    bed: Core,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicU8::new(EMPTY),
            lock: Mutex::new(()),
            wake: Condvar::new(),
            bed: Core::none(),
        }
    }

    /// Sleeps until there is a token, and takes it. Owner only.
    pub(crate) fn park(&self) {
        self.park_inner(None);
    }

    /// As [`park`](Self::park), for `timeout` at most. Tells whether a token was taken.
    pub(crate) fn park_timeout(&self, timeout: Duration) -> bool {
        self.park_inner(Some(timeout))
    }

    fn park_inner(&self, timeout: Option<Duration>) -> bool {
        if self.take_token() {
            return true;
        }
        self.bed.take();
        self.sleep(timeout)
    }

    fn sleep(&self, timeout: Option<Duration>) -> bool {
        let mut guard = lock(&self.lock);
        // Acquire on failure pairs with the Release in `unpark`: what came before it is seen.
        if self
            .state
            .compare_exchange(EMPTY, PARKED, Ordering::Relaxed, Ordering::Acquire)
            .is_err()
        {
            // Only the owner leaves NOTIFIED, so the token is still here.
            return self.take_token();
        }
        loop {
            match timeout {
                None => {
                    guard = self
                        .wake
                        .wait(guard)
                        .unwrap_or_else(PoisonError::into_inner);
                    if self.take_token() {
                        self.bed.want_no_more();
                        return true;
                    }
                }
                Some(timeout) => {
                    let (_guard, _) = self
                        .wake
                        .wait_timeout(guard, timeout)
                        .unwrap_or_else(PoisonError::into_inner);
                    // A swap, not a store: a token that arrives just now must be told apart.
                    // Acquire pairs with the Release in `unpark`.
                    let notified = self.state.swap(EMPTY, Ordering::Acquire) == NOTIFIED;
                    if notified {
                        self.bed.want_no_more();
                    }
                    return notified;
                }
            }
        }
    }

    /// Whether [`park`](Self::park) would return at once.
    pub(crate) fn has_token(&self) -> bool {
        // Relaxed: `park` takes the token, with Acquire.
        self.state.load(Ordering::Relaxed) == NOTIFIED
    }

    fn take_token(&self) -> bool {
        // Acquire pairs with the Release in `unpark`.
        self.state
            .compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Leaves a token, and wakes the owner where it sleeps.
    pub(crate) fn unpark(&self) {
        // Release pairs with the Acquires in `park_inner` and `take_token`.
        if self.state.swap(NOTIFIED, Ordering::Release) == PARKED {
            // The owner holds the lock from PARKED until it sleeps: passing through it means
            // that the signal can't fall between its check and its sleep.
            drop(lock(&self.lock));
            self.bed.want();
            self.wake.notify_one();
        }
    }
}

#[cfg(not(heartbeat_loom))]
impl std::task::Wake for Parker {
    fn wake(self: Arc<Self>) {
        self.unpark();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.unpark();
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_token_left_before_parking_is_not_lost() {
        let parker = Parker::new();
        parker.unpark();
        parker.unpark();
        parker.park();
        assert!(!parker.park_timeout(Duration::from_millis(1)));
    }

    #[test]
    fn unpark_wakes_a_sleeping_owner() {
        let parker = Arc::new(Parker::new());
        let waker = parker.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(10));
            waker.unpark();
        });
        parker.park();
        thread.join().unwrap();
    }
}
