//! A thread's parking place: one token, so an `unpark` that comes first is never lost.

use crate::placement::{self, Thread};
use crate::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, lock};
use heartbeat_record::note;
use heartbeat_system::Alarm;
use std::sync::{OnceLock, PoisonError};
use std::time::Duration;

type State = usize;
/// Nobody parks, no token.
const EMPTY: State = 0;
/// A token waits for the owner.
const NOTIFIED: State = 1;
/// The owner sleeps, or is about to: this, and the number of its core.
const PARKED: State = 2;

/// Where a thread is to run that is woken, as far as threads are moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wake {
    /// Where the system puts it: the waker may be about to sleep.
    Anywhere,
    /// On another core than the waker's, which goes on for a while, if it has slept there.
    OffThisCore,
    /// On another core than the waker's, which goes on beside it, wherever it has slept, for the
    /// system may choose the waker's core even so.
    Elsewhere,
}

/// Parks its owner thread until another thread unparks it.
///
/// | state    | `park`                | `unpark`                  |
/// | -------- | --------------------- | ------------------------- |
/// | EMPTY    | -> PARKED, sleeps     | -> NOTIFIED               |
/// | PARKED   | (owner only)          | -> NOTIFIED, wakes owner  |
/// | NOTIFIED | -> EMPTY, returns     | stays                     |
///
/// One a thread, shared by all its waits: each looks at its own condition again before it parks.
pub(crate) struct Parker {
    state: AtomicUsize,
    lock: Mutex<Owner>,
    wake: Condvar,
    /// For sleeps that end by themselves, where the system has something better for these than
    /// `wake`.
    alarm: OnceLock<Option<Alarm>>,
}

#[derive(Debug, Default)]
struct Owner {
    /// Known once it has parked.
    thread: Option<Thread>,
    is_asleep: bool,
    /// Whether it is the alarm that ends its sleep.
    has_alarm: bool,
}

impl Parker {
    pub(crate) fn new() -> Self {
        Self {
            state: AtomicUsize::new(EMPTY),
            lock: Mutex::new(Owner::default()),
            wake: Condvar::new(),
            alarm: OnceLock::new(),
        }
    }

    /// Sleeps until there is a token, and takes it. Owner only.
    pub(crate) fn park(&self) {
        self.park_for(None);
    }

    /// As [`park`](Self::park), for `timeout` at most. Tells whether a token was taken.
    pub(crate) fn park_timeout(&self, timeout: Duration) -> bool {
        self.park_for(Some(timeout))
    }

    /// [`park`](Self::park) without a `timeout`, else [`park_timeout`](Self::park_timeout).
    pub(crate) fn park_for(&self, timeout: Option<Duration>) -> bool {
        if self.take_token() {
            return true;
        }
        note::parked(self, timeout.is_some());
        let notified = self.park_without_token(timeout);
        note::awake(notified);
        notified
    }

    fn park_without_token(&self, timeout: Option<Duration>) -> bool {
        let slept_on = placement::current();
        let parked = PARKED + slept_on;
        let mut guard = lock(&self.lock);
        // Acquire on failure pairs with the Release in `leave_token`: what came before it is seen.
        if self
            .state
            .compare_exchange(EMPTY, parked, Ordering::Relaxed, Ordering::Acquire)
            .is_err()
        {
            // Only the owner leaves NOTIFIED, so the token is still here.
            return self.take_token();
        }
        guard.thread.get_or_insert_with(placement::this_thread);
        guard.is_asleep = true;
        let notified = match timeout {
            None => loop {
                guard = self
                    .wake
                    .wait(guard)
                    .unwrap_or_else(PoisonError::into_inner);
                if self.take_token() {
                    break true;
                }
            },
            Some(timeout) => {
                guard = self.sleep(guard, timeout);
                // A swap, not a store: a token that arrives just now must be told apart.
                // Acquire pairs with the Release in `leave_token`.
                self.state.swap(EMPTY, Ordering::Acquire) == NOTIFIED
            }
        };
        guard.is_asleep = false;
        drop(guard);
        if notified {
            placement::claim(slept_on, -1);
        }
        notified
    }

    /// Sleeps for `timeout`, or until [`wake`](Self::wake), or a little.
    fn sleep<'a>(
        &'a self,
        mut owner: MutexGuard<'a, Owner>,
        timeout: Duration,
    ) -> MutexGuard<'a, Owner> {
        let Some(alarm) = self.alarm.get_or_init(Alarm::new) else {
            let slept = self.wake.wait_timeout(owner, timeout);
            return slept.unwrap_or_else(PoisonError::into_inner).0;
        };
        owner.has_alarm = true;
        drop(owner);
        alarm.sleep(timeout);
        let mut owner = lock(&self.lock);
        owner.has_alarm = false;
        owner
    }

    /// Ends the owner's sleep, by its alarm if it has set that.
    fn wake(&self, has_alarm: bool) {
        match self.alarm.get() {
            // One that comes too late ends the owner's next short sleep before its time.
            Some(Some(alarm)) if has_alarm => alarm.ring(),
            _ => self.wake.notify_one(),
        }
    }

    /// Whether [`park`](Self::park) would return at once.
    pub(crate) fn has_token(&self) -> bool {
        // Relaxed: `park` takes the token, with Acquire.
        self.state.load(Ordering::Relaxed) == NOTIFIED
    }

    /// Drops the token, if there is one. Owner only, and not between a look at what it waits for
    /// and its sleep.
    pub(crate) fn drop_token(&self) {
        if self.has_token() {
            let _ = self.take_token();
        }
    }

    fn take_token(&self) -> bool {
        // Acquire pairs with the Release in `leave_token`.
        self.state
            .compare_exchange(NOTIFIED, EMPTY, Ordering::Acquire, Ordering::Relaxed)
            .is_ok()
    }

    /// Leaves a token, and wakes the owner where it sleeps.
    pub(crate) fn unpark(&self) {
        self.unpark_by(Wake::Anywhere);
    }

    pub(crate) fn unpark_by(&self, wake: Wake) {
        let Some(slept_on) = self.leave_token() else {
            return;
        };
        let is_off = || match wake {
            Wake::Anywhere => false,
            Wake::OffThisCore => slept_on == placement::current(),
            Wake::Elsewhere => true,
        };
        // The owner holds the lock from PARKED until it sleeps: passing through it means that the
        // signal can't fall between its check and its sleep. It is held as the owner is kept off,
        // so that this still sleeps where it is said to, and two wakers don't take each other's
        // change for what the owner may use.
        let owner = lock(&self.lock);
        let has_alarm = owner.has_alarm;
        match owner.thread {
            // A late waker may meet the owner awake.
            Some(thread) if owner.is_asleep && placement::moves_threads() && is_off() => {
                let here = placement::current();
                placement::keep_off(thread, here, slept_on, || self.wake(has_alarm));
            }
            _ => {
                // The owner wants it as it wakes.
                drop(owner);
                self.wake(has_alarm);
            }
        }
    }

    /// Gives the core that the owner sleeps on, if it must be woken.
    fn leave_token(&self) -> Option<usize> {
        // Release pairs with the Acquires in `park_without_token` and `take_token`.
        let before = self.state.swap(NOTIFIED, Ordering::Release);
        let slept_on = before.checked_sub(PARKED)?;
        note::woke(self);
        placement::claim(slept_on, 1);
        Some(slept_on)
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::sync::Arc;

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

    /// Wherever it wakes, and by however many: later it may run where it might before.
    #[cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
    #[test]
    fn who_was_woken_elsewhere_may_use_all_cores_again() {
        let allowed = || rustix::thread::sched_getaffinity(None).unwrap();
        let parker = Arc::new(Parker::new());
        let before = allowed();
        let over = Arc::new(std::sync::atomic::AtomicBool::new(false));
        let wakers = [0, 1].map(|_| {
            let (parker, over) = (parker.clone(), over.clone());
            std::thread::spawn(move || {
                while !over.load(Ordering::Relaxed) {
                    parker.unpark_by(Wake::Elsewhere);
                    std::thread::yield_now();
                }
            })
        });
        for turn in 0..2000 {
            match turn % 2 {
                0 => parker.park(),
                _ => _ = parker.park_timeout(Duration::from_micros(1)),
            }
            assert!(allowed() == before);
        }
        over.store(true, Ordering::Relaxed);
        wakers.into_iter().for_each(|waker| waker.join().unwrap());
    }
}
