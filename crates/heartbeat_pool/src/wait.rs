//! Waiting: run what is waited for, else give the seat away and sleep.

use crate::cores;
use crate::look::Look;
use crate::parker::Parker;
use crate::registry::Registry;
use crate::spin;
use crate::sync::Arc;
use crate::thread_state::{self, Waiting};
use crate::threads::RETRY;
use crate::unwind;
use crate::worker::Worker;
use std::rc::Rc;

/// Something that a worker waits for.
pub(crate) trait Wait {
    /// Whether it has come about.
    fn is_done(&self) -> bool;
    /// Runs one piece of the work that is waited for. False if there is none to take.
    fn step(&self, worker: &Worker) -> bool;
    /// Whether `step` would find something.
    fn is_ready(&self) -> bool;
    /// Tells those who could wake the waiter that it is about to sleep, or that it no longer is.
    fn set_asleep(&self, asleep: bool);
}

impl Registry {
    /// Parks the calling thread, which waits; for a while only where the system has refused a thread that is
    /// missed, for it is asked again.
    fn park(self: &Arc<Self>, parker: &Parker) {
        let lower_misses = || self.kin.lower().is_some_and(Self::misses_threads);
        if Self::misses_threads(self) || lower_misses() {
            parker.park_timeout(RETRY);
        } else {
            parker.park();
        }
    }

    /// Whether the system has refused a thread, and there is work for it.
    fn misses_threads(this: &Arc<Self>) -> bool {
        this.threads.is_short() && Look::new(this, this.seats().as_slice()).has_any_work()
    }
}

impl Worker {
    /// Waits for `event`. Runs nothing but what `event` offers and what only this thread may run,
    /// so a wait can't meet a lock that its caller holds, nor nest deeper than the program does;
    /// the seat goes to a spare thread meanwhile, so no core idles either.
    pub(crate) fn wait(&self, event: &impl Wait) {
        // Others point into the frames of whoever waits here.
        unwind::AbortOnUnwind::guard(|| self.wait_out(event));
    }

    fn wait_out(&self, event: &impl Wait) {
        let _waiting = Waiting::begin();
        loop {
            if event.is_done() {
                return;
            }
            if event.step(self) || thread_state::run_pinned() || tick_threadless(self.registry()) {
                continue;
            }
            let came_about = || event.is_done() || event.is_ready() || thread_state::has_pinned();
            // Who was woken on this core may be just the one to help. (If it is a lower thread, a spin is missed.)
            if spin::until(spin::IN_WAIT, || came_about() || cores::is_wanted()) && came_about() {
                continue;
            }
            let standing = Self::stand_up();
            self.seat.counters.park();
            let needed = loop {
                event.set_asleep(true);
                let needed = rest(Some(self.registry()), self.parker(), came_about);
                if needed.is_some() || came_about() {
                    break needed;
                }
            };
            event.set_asleep(false);
            drop(standing);
            if let Some(worker) = needed {
                worker.visit(Self::tick);
            }
        }
    }

    /// Parks the calling thread, whose pool has no threads but waiting ones, or may come to that: until
    /// `came_about` or there is work that nobody else could do. Tells whether that is so.
    pub(crate) fn sleep_alone(&self, parker: &Arc<Parker>, came_about: impl Fn() -> bool) -> bool {
        let registry = self.registry();
        let is_needed = || {
            let occupancy = &registry.occupancy;
            (occupancy.target() == 0 || occupancy.is_quiet()) && self.look().has_any_work()
        };
        registry.sleep.wait_begin(parker);
        let awake = came_about() || is_needed();
        if !awake {
            registry.park(parker);
        }
        if registry.sleep.wait_end(parker) && self.look().has_any_work() {
            // What the waker meant may be another's to do, and this thread may be done.
            let handed_on = registry.sleep.wake_worker();
            if !handed_on && is_needed() {
                let _ = registry.sleep.wake_one();
            }
        }
        awake
    }
}

/// Of a registry and the one whose lower kin it is, those without threads: whoever waits does their work.
fn threadless(pool: &Arc<Registry>) -> [Option<Arc<Registry>>; 2] {
    let is_threadless = |pool: &Arc<Registry>| pool.occupancy.target() == 0;
    let upper = pool.kin.upper().filter(is_threadless);
    [is_threadless(pool).then(|| pool.clone()), upper]
}

/// Does one piece of the work that nobody but those who wait in `pool` could do.
pub(crate) fn tick_threadless(pool: &Arc<Registry>) -> bool {
    let pools = threadless(pool).into_iter().flatten();
    pools.into_iter().any(|pool| pool.tick())
}

/// One sleep of the calling thread, which has given its seats away, in a wait in `pool`, or in none: until
/// `came_about`, or until it is unparked. Gives the seat by which the caller must do a piece of work that nobody
/// else could, and that what it waits for may need.
pub(crate) fn rest(
    pool: Option<&Arc<Registry>>,
    parker: &Arc<Parker>,
    came_about: impl Fn() -> bool,
) -> Option<Rc<Worker>> {
    if let Some(pool) = pool {
        for pool in [Some(pool), pool.kin.lower()].into_iter().flatten() {
            pool.threads.ask_again(pool);
        }
    }
    let threadless = pool.and_then(|pool| threadless(pool).into_iter().flatten().last());
    let alone = threadless.as_ref().map(thread_state::seat_in);
    if let Some(worker) = alone.or_else(thread_state::lone_member) {
        // Not the worker's own parker: in a thread-local's destructor it is another one.
        let awake = worker.sleep_alone(parker, &came_about);
        return (awake && !came_about()).then_some(worker);
    }
    match pool {
        Some(pool) => {
            let was_short = pool.threads.is_short();
            let has_changed =
                || pool.occupancy.target() == 0 || pool.threads.is_short() != was_short;
            pool.waiters.park(parker, || {
                if !has_changed() && !came_about() {
                    pool.park(parker);
                }
            });
        }
        None if !came_about() => parker.park(),
        None => {}
    }
    None
}
