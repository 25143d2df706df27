//! Waiting: run what is waited for, else give the seat away and sleep.

use crate::cores;
use crate::parker::Parker;
use crate::spin;
use crate::sync::Arc;
use crate::thread_state::{self, Waiting};
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
        let _waiting = Waiting::begin();
        loop {
            if event.is_done() {
                return;
            }
            let threadless = self.registry().occupancy.target() == 0;
            if event.step(self) || thread_state::run_pinned() || (threadless && self.tick()) {
                continue;
            }
            let came_about = || event.is_done() || event.is_ready() || thread_state::has_pinned();
            // Who was woken on this core may be just the one to help. (If it is a lower thread, a spin is missed.)
            if spin::until(spin::IN_WAIT, || came_about() || cores::is_wanted()) && came_about() {
                continue;
            }
            let lone = thread_state::lone_member();
            let standing = Self::stand_up();
            self.seat.counters.park();
            loop {
                event.set_asleep(true);
                // Nobody else would do the pool's other work, which `event` may need.
                if self.registry().occupancy.target() == 0 {
                    if self.sleep_alone(self.parker(), came_about) {
                        break;
                    }
                } else if let Some(lone) = &lone {
                    if lone.sleep_alone(self.parker(), came_about) {
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
            if let Some(lone) = lone
                && !came_about()
            {
                lone.visit(Self::tick);
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
            parker.park();
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
