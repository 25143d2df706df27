//! The life of a pool thread: it looks for work, runs it, sleeps.

use super::Worker;
use crate::active::Tracks;
use crate::heartbeat::{self, Relieved};
use crate::idle::spin;
use crate::lanes::lane::Lane;
use crate::lanes::occupancy::Charge;
use crate::placement;
use crate::pool::config::ThreadHandler;
use crate::queue::pinned::Pinned;
use crate::registry::Registry;
use crate::schedule::News;
use crate::sync::{Arc, Instant, hint};
use crate::threads::this_thread::{self, Entered};
use crate::unwind;
use std::cell::Cell;
use std::mem;
use std::rc::Rc;

/// Looks at the queues before a thread stops working: about half a microsecond's.
const LINGER: usize = 16;

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
    let worker = Rc::new(Worker::new(registry, Some(pinned.clone())));
    pinned.begin(worker.parker.clone());
    this_thread::keep_seat(worker.clone());
    let entered = Entered::new(worker.clone());
    // Both handlers are called inside of the pool, as jobs are.
    handle(
        registry,
        registry.config.start_handler.as_ref(),
        pinned.index,
    );
    let exit = Exit(registry, pinned.index);
    worker.main_loop();
    drop(exit);
    drop(entered);
    drop(worker);
    this_thread::drop_seats();
}

/// Makes the calling thread one of the pool's own that doesn't run its loop.
pub(crate) fn enroll(registry: &Arc<Registry>, pinned: &Arc<Pinned>) {
    let worker = Rc::new(Worker::new(registry, Some(pinned.clone())));
    pinned.begin(worker.parker.clone());
    this_thread::enroll(worker);
}

/// Calls a handler of the thread of `index`, which goes on whatever becomes of it.
fn handle(registry: &Registry, handler: Option<&ThreadHandler>, index: usize) {
    if let Some(handler) = handler
        && let Err(payload) = unwind::catch(|| handler(index))
    {
        registry.report_panic(&*payload);
        unwind::discard(payload);
    }
}

impl Worker {
    /// A pool thread's life: search, run, sleep. It comes counted as a searcher.
    fn main_loop(&self) {
        let registry = &self.registry;
        let mut searching = true;
        // Whether a stretch of work has begun and was not judged yet.
        let mut working = false;
        let mut own_turn = false;
        while !registry.is_terminated() {
            if !searching {
                self.leave_gap();
            }
            // Own work and the pool's take turns, for either may go on for ever.
            let called = !mem::take(&mut own_turn) && self.is_called();
            let wasted = !searching && self.is_wasted();
            let found = if called {
                None
            } else if wasted {
                self.next_lower_work()
            } else {
                self.next_work()
            };
            if called || found.is_some() {
                if searching {
                    searching = false;
                    self.end_search();
                    if !working {
                        working = true;
                        self.begin_stretch();
                    }
                }
                match found {
                    Some(found) => self.run_and_again(found),
                    None => {
                        own_turn = true;
                        self.run_own();
                    }
                }
                continue;
            }
            if !searching {
                searching = true;
                registry.sleep.search_begin();
                if !wasted && self.stretch.may_go_on() && self.linger() {
                    continue;
                }
            }
            // Offered to nobody, for this thread looks once more itself; and after the search has
            // begun, so that no pusher finds the place free and nobody searching.
            self.set_charge(None);
            self.seat.core.give_back();
            if working {
                working = false;
                self.seat.counters.busy_end();
                registry.set_brief(self.stretch.end());
                if !self.stretch.is_shy() {
                    // What was pushed while nobody searched and this thread ran is found now.
                    continue;
                }
            }
            match self.idle() {
                Woken::ToSearch => {}
                Woken::ToRun => (searching, working) = (false, true),
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

    /// Waits a moment for the next job of the same lane: tasks come one soon after the other, and
    /// what it costs to stop working and to begin again is more than most of them take.
    fn linger(&self) -> bool {
        let lane = self.lane();
        (0..LINGER).any(|_| {
            hint::spin_loop();
            self.look().has_work(lane)
        })
    }

    fn begin_stretch(&self) {
        self.stretch.begin();
        self.seat.core.take();
        self.busy_begin();
    }

    /// The last searcher wakes the next, for pushers have relied on it to find everything.
    fn end_search(&self) {
        if self.registry.sleep.search_end() {
            let (lane, hidden) = {
                let look = self.look();
                let lane = look.work_for_one_more();
                (lane, lane.is_none() && look.has_hidden_forks())
            };
            if let Some(lane) = lane {
                self.registry.tell(self.registry.news_for_others(lane));
            } else if hidden {
                // Who hides forks has relied on a searcher as well: to become the sentinel, had it found nothing.
                self.registry.tell(News::kept());
            }
            if self.registry.blocking.is_ready() {
                self.registry.tell(News::blocking());
            }
        }
    }

    /// Looks around for a moment more, then sleeps until woken.
    fn idle(&self) -> Woken {
        // Nobody is in the way of a pool that does nothing.
        let shy = self.stretch.is_shy() && !self.registry.occupancy.is_quiet();
        if !shy && self.spin() {
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
        // Somebody woken on this core can't begin before the search ends.
        let gives_way = Cell::new(false);
        let ready = || {
            gives_way.set(placement::is_wanted());
            gives_way.get() || self.look().has_admissible_work() || self.is_called()
        };
        // Sharing has to pay: after what did not, it is asked for with hesitation.
        let last = self.asked.get();
        let at_once = self.stretch.has_paid() || last.elapsed() >= registry.config.beat;
        if at_once {
            self.ask();
        } else if spin::until(spin::BEFORE_SLEEP / 2, ready) {
            return !gives_way.get();
        } else {
            self.ask();
        }
        spin::until(spin::BEFORE_SLEEP, ready) && !gives_way.get()
    }

    fn ask(&self) {
        self.asked.set(Instant::now());
        self.look().raise_beats(Some(&self.seat));
    }

    /// Lets beats pass before the next look, one at least, and all in which others got on briskly. The
    /// promise to look is an alert sentinel's, so nobody else is woken either.
    fn nap(&self) {
        let registry = &self.registry;
        let mut pace = self.pace();
        self.seat.counters.park();
        registry.sleep.alert_begin();
        for _ in 0..heartbeat::BRISK_BEATS {
            if self.parker.park_timeout(registry.config.beat) {
                break;
            }
            self.seat.counters.beat();
            self.make_way();
            let look = self.look();
            look.raise_beats(Some(&self.seat));
            let brisk = heartbeat::is_brisk(pace.advance(look.progress()), registry.config.beat);
            let over = !brisk || !look.has_any_work() || look.has_work_for_helper(brisk);
            if over {
                break;
            }
        }
        registry.sleep.alert_end();
    }

    /// Whether there is something to do for this very thread.
    pub(super) fn is_called(&self) -> bool {
        !self.mailbox.is_empty() || self.has_pinned() || self.registry.is_terminated()
    }

    /// Whether nothing runs, nor could. (In a pool that has just lost its threads, what is queued is not for this
    /// one any more.)
    pub(crate) fn is_pool_quiet(&self) -> bool {
        self.registry.occupancy.is_quiet() && !self.look().has_admissible_work()
    }

    /// Takes the thread off the idle list: it looks for work, counted as a searcher.
    fn back(&self) -> Woken {
        // A waker that was first has counted the thread as well.
        self.registry.sleep.park_cancel(&self.parker);
        Woken::ToSearch
    }

    fn sleep(&self) -> Woken {
        let registry = &self.registry;
        // The next job's first fork is offered at once.
        self.seat.beat.raise();
        self.deque.rest();
        self.forks.rest();
        let idle = registry.sleep.park_begin(&self.parker);
        if self.is_called() {
            return self.back();
        }
        if self.stretch.take_shyness() && registry.has_room() && !registry.occupancy.is_quiet() {
            self.nap();
            return self.back();
        }
        if self.look().has_admissible_work() {
            return self.back();
        }
        if let Some(pinned) = &self.pinned
            && registry.threads.try_retire(registry, pinned, idle)
        {
            pinned.close();
            self.back();
            return Woken::Retired;
        }
        self.seat.counters.park();
        if let Some(woken) = self.keep_watch() {
            return woken;
        }
        self.parker.park();
        self.seat.counters.wake();
        self.make_way();
        self.back()
    }

    /// As the sentinel, and then the lookout, if there is none. None if the thread may sleep without a timer.
    fn keep_watch(&self) -> Option<Woken> {
        let sleep = &self.registry.sleep;
        while sleep.sentinel_begin() {
            let relieved = heartbeat::keep_beat(self);
            sleep.sentinel_end();
            match relieved {
                Relieved::Called => return Some(self.back()),
                Relieved::Quiet if self.is_pool_quiet() => {
                    if !sleep.lookout_begin(&self.parker) {
                        return None;
                    }
                    let called = heartbeat::linger(self);
                    sleep.lookout_end();
                    if called {
                        return Some(self.back());
                    }
                    if self.is_pool_quiet() {
                        return None;
                    }
                }
                // Once more round: work may have begun just then and seen a sentinel.
                Relieved::Quiet => {}
                Relieved::Stuck(lane) => return Some(self.relieve(lane)),
            }
        }
        None
    }

    /// Runs work of `lane` that what runs may be blocked on; the thread is counted as running it already.
    fn relieve(&self, lane: Lane) -> Woken {
        self.back();
        self.charge.set(Some(Charge::Lane(lane)));
        self.relief.begin(lane);
        self.end_search();
        self.begin_stretch();
        let found = match lane {
            Lane::Frame => self.pop(lane),
            // Not another job, which has to wait for its turn.
            Lane::Io | Lane::Background => self.take_shared(lane),
        };
        if let Some(found) = found {
            self.run(found);
        }
        Woken::ToRun
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parker::Parker;
    use crate::pool::ThreadPool;
    use crate::queue::forks::ForkPtr;
    use std::time::Duration;

    #[test]
    fn who_finds_work_leaves_no_hidden_fork_without_a_sentinel() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let sleep = &worker.registry.sleep;
            let idle = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&idle);
            sleep.search_begin();
            let hour = Duration::from_secs(3600);
            worker.seat.hide_forks(Instant::now() + hour);
            worker.forks.push(ForkPtr::nothing());
            worker.announce_forks();
            assert!(!idle.has_token(), "somebody searches");
            worker.end_search();
            assert!(idle.has_token());
            worker.forks.pop();
            worker.seat.show_forks();
            sleep.park_cancel(&idle);
            worker.end_search();
        });
    }
}
