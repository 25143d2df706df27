//! The life of a pool thread: it looks for work, runs it, sleeps.

use super::Worker;
use crate::active::Tracks;
use crate::config::ThreadHandler;
use crate::heartbeat::{self, Relieved};
use crate::lane::Lane;
use crate::occupancy::Charge;
use crate::pinned::Pinned;
use crate::registry::Registry;
use crate::spin;
use crate::sync::Arc;
use crate::thread_state::{self, Entered};
use crate::unwind;
use std::rc::Rc;
use std::time::Instant;

/// What a thread does after it was idle.
enum Woken {
    /// It looks for work, counted as a searcher.
    ToSearch,
    /// It runs, and has done some work already.
    ToRun,
    /// It ends, counted as a searcher.
    Retired,
}

/// What a thread of the pool runs from its start to its end, counted as a searcher.
pub(crate) fn thread_main(registry: &Arc<Registry>, pinned: &Arc<Pinned>) {
    struct Exit<'a>(&'a Registry, usize);
    impl Drop for Exit<'_> {
        fn drop(&mut self) {
            handle(self.0, self.0.config.exit_handler.as_ref(), self.1);
        }
    }
    handle(
        registry,
        registry.config.start_handler.as_ref(),
        pinned.index,
    );
    let _exit = Exit(registry, pinned.index);
    let worker = Rc::new(Worker::new(registry, Some(pinned.clone())));
    pinned.begin(worker.parker.clone());
    thread_state::keep_seat(worker.clone());
    let entered = Entered::new(worker.clone());
    worker.main_loop();
    drop(entered);
    drop(worker);
    thread_state::drop_seats();
}

/// Calls a handler of the thread of `index`, which goes on whatever becomes of it.
fn handle(registry: &Registry, handler: Option<&ThreadHandler>, index: usize) {
    if let Some(handler) = handler
        && let Err(payload) = unwind::catch(|| handler(index))
    {
        registry.report_panic(&*payload);
    }
}

impl Worker {
    /// A pool thread's life: search, run, sleep. It comes counted as a searcher.
    fn main_loop(&self) {
        let registry = &self.registry;
        let mut searching = true;
        while !registry.is_terminated() {
            let called = self.is_called();
            let wasted = !searching && self.stretch.is_wasted();
            let found = match () {
                () if called => None,
                () if wasted => self.step_back(),
                () => self.next_work(),
            };
            if called || found.is_some() {
                if searching {
                    searching = false;
                    self.end_search();
                    self.begin_stretch();
                }
                match found {
                    Some(found) => self.run(found),
                    None => self.run_own(),
                }
                continue;
            }
            if !searching {
                searching = true;
                self.seat.counters.busy_end();
                self.stretch.end();
                registry.sleep.search_begin();
                if !self.stretch.is_shy() {
                    // What was pushed while nobody searched and this thread ran is found now.
                    continue;
                }
            }
            match self.idle() {
                Woken::ToSearch => {}
                Woken::ToRun => searching = false,
                Woken::Retired => break,
            }
        }
        if !registry.is_terminated() {
            // What came before the queue was closed; a pool that ended drops it.
            self.run_own();
        }
        self.seat.counters.busy_end();
        self.set_charge(None);
        if searching {
            self.end_search();
        } else {
            registry.offer_seat();
        }
    }

    /// Leaves the work to others. Its place is offered to nobody: it looks again itself.
    fn step_back<T>(&self) -> Option<T> {
        self.set_charge(None);
        None
    }

    fn begin_stretch(&self) {
        self.stretch.begin();
        self.busy_begin();
    }

    /// The last searcher wakes the next, for pushers have relied on it to find everything.
    fn end_search(&self) {
        if self.registry.sleep.search_end() {
            self.registry.notify_of_rest();
        }
    }

    /// Looks around for a moment more, then sleeps until woken.
    fn idle(&self) -> Woken {
        if !self.stretch.is_shy() && self.spin() {
            return Woken::ToSearch;
        }
        self.sleep()
    }

    /// The only searcher asks for work to be shared, and waits as long as a sleep would cost: what
    /// comes meanwhile is handed over without a wake-up.
    fn spin(&self) -> bool {
        let registry = &self.registry;
        if registry.sleep.searchers() != 1 || !registry.has_room() {
            return false;
        }
        let ready = || registry.has_admissible_work() || self.is_called();
        // Sharing has to pay: after what did not, it is asked for with hesitation.
        let last = self.asked.get();
        let at_once = self.stretch.has_paid() || last.elapsed() >= registry.config.beat;
        if at_once {
            self.ask();
        } else if spin::until(spin::BEFORE_SLEEP / 2, ready) {
            return true;
        } else {
            self.ask();
        }
        spin::until(spin::BEFORE_SLEEP, ready)
    }

    fn ask(&self) {
        self.asked.set(Instant::now());
        self.registry.raise_beats();
    }

    /// Lets a beat pass before the next look, for what there is to find is hardly worth it. The
    /// promise to look is an alert sentinel's, so nobody else is woken for it either.
    fn nap(&self) {
        let registry = &self.registry;
        self.seat.counters.park();
        registry.sleep.alert_begin();
        self.parker.park_timeout(registry.config.beat);
        registry.sleep.alert_end();
        self.seat.counters.beat();
    }

    /// Whether there is something to do for this very thread.
    fn is_called(&self) -> bool {
        !self.mailbox.is_empty() || self.has_pinned() || self.registry.is_terminated()
    }

    fn sleep(&self) -> Woken {
        let registry = &self.registry;
        let sleep = &registry.sleep;
        let idle = sleep.park_begin(&self.parker);
        let back = || {
            // A waker that was first has counted the thread as well.
            sleep.park_cancel(&self.parker);
            Woken::ToSearch
        };
        if self.is_called() {
            return back();
        }
        if self.stretch.take_shyness() && registry.has_room() {
            self.nap();
            return back();
        }
        if registry.has_admissible_work() {
            return back();
        }
        if let Some(pinned) = &self.pinned
            && registry.threads.try_retire(registry, pinned, idle)
        {
            pinned.close();
            back();
            return Woken::Retired;
        }
        self.seat.counters.park();
        while sleep.sentinel_begin() {
            let relieved = heartbeat::keep_beat(registry, self);
            sleep.sentinel_end();
            match relieved {
                Relieved::Called => return back(),
                // Once more round: work may have begun just then and seen a sentinel.
                Relieved::Quiet if registry.occupancy.is_quiet() && !registry.has_any_work() => {
                    break;
                }
                Relieved::Quiet => {}
                Relieved::Stuck => {
                    back();
                    self.charge.set(Some(Charge::Lane(Lane::Frame)));
                    self.end_search();
                    self.begin_stretch();
                    if let Some(found) = self.pop(Lane::Frame) {
                        self.run(found);
                    }
                    return Woken::ToRun;
                }
            }
        }
        self.parker.park();
        self.seat.counters.wake();
        back()
    }
}
