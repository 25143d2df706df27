//! Waiting: run what is waited for, else give the seat away and sleep.

use crate::parker::Parker;
use crate::spin;
use crate::sync::Arc;
use crate::thread_state;
use crate::unwind;
use crate::worker::Worker;

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

impl Worker {
    /// Waits for `event`. Runs nothing but what `event` offers and what only this thread may run,
    /// so a wait can't meet a lock that its caller holds, nor nest deeper than the program does;
    /// the seat goes to a spare thread meanwhile, so no core idles either.
    pub(crate) fn wait(&self, event: &impl Wait) {
        // Others point into the frames of whoever waits here.
        unwind::AbortOnUnwind::guard(|| self.wait_out(event));
    }

    fn wait_out(&self, event: &impl Wait) {
        loop {
            if event.is_done() {
                return;
            }
            let threadless = self.registry().occupancy.target() == 0;
            if event.step(self) || thread_state::run_pinned() || (threadless && self.tick()) {
                continue;
            }
            let came_about = || event.is_done() || event.is_ready() || thread_state::has_pinned();
            if spin::until(spin::BEFORE_SLEEP, came_about) {
                continue;
            }
            let standing = Self::stand_up();
            self.seat.counters.park();
            loop {
                event.set_asleep(true);
                if self.registry().occupancy.target() == 0 {
                    // Nobody else would do the pool's other work, which `event` may need.
                    if self.sleep_threadless(self.parker(), came_about) {
                        break;
                    }
                } else if came_about() || self.registry().occupancy.target() == 0 {
                    break;
                } else {
                    let waiters = &self.registry().waiters;
                    let has_threads = || self.registry().occupancy.target() > 0;
                    waiters.park(self.parker(), has_threads);
                }
            }
            event.set_asleep(false);
            drop(standing);
        }
    }

    /// Parks a thread of a pool without threads until `came_about` or some work is queued, and
    /// tells whether that is so.
    pub(crate) fn sleep_threadless(
        &self,
        parker: &Arc<Parker>,
        came_about: impl Fn() -> bool,
    ) -> bool {
        let registry = self.registry();
        registry.sleep.search_begin();
        registry.sleep.park_begin(parker);
        let awake = came_about() || self.look().has_any_work();
        if !awake {
            parker.park();
        }
        registry.sleep.park_cancel(parker);
        // Others may wait for the pool's work too, and this thread may be done.
        if registry.sleep.search_end() && self.look().has_any_work() {
            let _ = registry.sleep.wake_one();
        }
        awake
    }
}
