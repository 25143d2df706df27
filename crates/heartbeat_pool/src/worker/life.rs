//! The life of a pool thread: it looks for work, runs it, sleeps.

use super::Worker;
use super::work::Found;
use crate::config::ThreadHandler;
use crate::lanes::priority;
use crate::registry::Registry;
use crate::registry::look::Look;
use crate::registry::start::Thread;
use crate::registry::team::Rank;
use crate::schedule::News;
use crate::sync::hint;
use crate::threads::builder::Wanted;
use crate::worker::current::{self, Entered};
use heartbeat_record::{Role, note};
use std::rc::Rc;

/// Looks at the queues before a thread stops working: about half a microsecond's.
const LOOKS: usize = 16;

/// What a pool thread does, from one look for work to the next.
pub(super) enum Doing {
    /// It looks for work, counted as a searcher.
    Searching,
    Working,
    /// It ends, counted as a searcher.
    Retired,
}

impl Wanted for Thread {
    fn is_taken(&self) -> bool {
        current::member().is_some()
    }

    fn run(&self) {
        thread_main(self);
    }

    /// Makes the calling thread one of the pool's own that doesn't run its loop, and keeps this
    /// until that ends: then it leaves its place.
    fn enroll(self: Box<Self>) {
        self.came_to_itself();
        self.pinned.enroll();
        // Its own affairs are most of what it does.
        let (registry, pinned) = (&self.registry, self.pinned.clone());
        let worker = Rc::new(Worker::new(registry, self.rank, Some(pinned)));
        self.pinned.begin(worker.parker.clone());
        current::enroll(worker, self);
    }
}

/// What a thread of the pool runs from its start to its end.
fn thread_main(thread: &Thread) {
    let (registry, rank, pinned) = (&thread.registry, thread.rank, &thread.pinned);
    note::set_role(match rank {
        Rank::Lower => Role::Lower,
        Rank::Frame => Role::Frame,
    });
    let worker = Rc::new(Worker::new(registry, rank, Some(pinned.clone())));
    pinned.begin(worker.parker.clone());
    current::keep_worker(worker.clone());
    let entered = Entered::new(worker.clone());
    if rank == Rank::Lower {
        priority::take(registry.lower.priority());
    }
    // Both are called inside of the pool, as jobs are, and before the thread counts as one that
    // looks for work: they may wait for some.
    let handlers = registry.handlers();
    handle(registry, handlers.start.as_ref(), pinned.index);
    let exit = handlers.exit.clone();
    drop(handlers);
    thread.begin();
    worker.main_loop();
    handle(registry, exit.as_ref(), pinned.index);
    drop(entered);
    drop(worker);
    current::drop_workers();
}

/// Calls a handler of the thread of `index`, which goes on whatever becomes of it.
fn handle(registry: &Registry, handler: Option<&ThreadHandler>, index: usize) {
    if let Some(handler) = handler {
        registry.guard(|| handler(index));
    }
}

impl Worker {
    /// A pool thread's life: search, run, sleep. It comes counted as a searcher.
    fn main_loop(&self) {
        let mut doing = Doing::Searching;
        let team = self.team();
        while !team.has_ended() {
            doing = match doing {
                Doing::Searching => self.search(false),
                Doing::Working => self.work(),
                Doing::Retired => break,
            };
        }
        self.leave(doing);
    }

    /// Ends what the thread was `doing` last.
    fn leave(&self, doing: Doing) {
        if !matches!(doing, Doing::Working) {
            // First, for what it runs below may wait, for work that others leave to a searcher.
            self.end_search();
        }
        if !self.team().has_ended() {
            // What came before the queue was closed; a pool that ended drops it.
            self.run_bound();
        }
        self.seat.counters.busy_end();
        self.set_charge(None);
        self.offer_room();
    }

    /// What to run next, for which the thread is counted then; no frame work if it `is_wasted`.
    fn next(&self, is_wasted: bool) -> Option<Found> {
        // What only this thread may run and the pool's work take turns: either may go on for ever.
        if !self.search.had_bound_turn.take() && self.is_called() {
            return Some(Found::Bound);
        }
        self.next_work(!is_wasted)
    }

    /// Looks for work. If it `goes_on`, what is found belongs to the present stretch.
    fn search(&self, goes_on: bool) -> Doing {
        if let Some(next) = self.next(false) {
            self.end_search();
            if !goes_on {
                self.begin_stretch();
            }
            self.run_and_again(next);
            return Doing::Working;
        }
        if goes_on {
            return self.end_stretch();
        }
        self.set_charge(None);
        self.idle()
    }

    /// Runs what is next, or begins to search.
    fn work(&self) -> Doing {
        let is_wasted = self.is_wasted();
        if let Some(next) = self.next(is_wasted) {
            if is_wasted && self.is_left_alone() {
                // Other work: that may have no end, and nobody else comes to the frame's.
                self.stretch.end(|| self.taken_by_others());
                self.stretch.begin();
            }
            self.run_and_again(next);
            return Doing::Working;
        }
        self.team().sleep.search_begin();
        if !is_wasted && self.stretch.may_go_on() && self.has_more_soon() {
            return self.search(true);
        }
        self.end_stretch()
    }

    /// Leaves the count. The room is offered to nobody, for this thread looks once more itself.
    /// After the search has begun, so that no pusher finds room and nobody searching.
    fn end_stretch(&self) -> Doing {
        self.set_charge(None);
        self.seat.counters.busy_end();
        self.stretch.end(|| self.taken_by_others());
        if self.stretch.is_shy() {
            return self.idle();
        }
        // What was pushed while nobody searched and this thread ran is found now.
        Doing::Searching
    }

    /// Waits a moment for the next job of the same lane: tasks come one soon after the other, and
    /// what it costs to stop working and to begin again is more than most of them take.
    fn has_more_soon(&self) -> bool {
        let lane = self.lane();
        (0..LOOKS).any(|_| {
            hint::spin_loop();
            self.look().has_work(lane)
        })
    }

    pub(super) fn begin_stretch(&self) {
        self.stretch.begin();
        self.seat.core.take();
        self.seat.counters.busy_begin(self.lane());
    }

    /// The last searcher wakes the next, for pushers have relied on it to find everything.
    pub(super) fn end_search(&self) {
        let team = self.team();
        if team.sleep.search_end() {
            let look = self.look();
            let lane = look.best_lane_for_one_more();
            // The thread that is woken for that is the last searcher next.
            let is_next = lane.is_some_and(|lane| team.occupancy.admits(lane));
            let is_answered = !is_next && self.see_to_beats(&look);
            let is_unwatched = is_answered || (lane.is_none() && look.has_hidden_forks());
            if let Some(lane) = lane {
                self.tell(News::for_others(lane));
            }
            if is_unwatched {
                // A thread that hid forks or answered its beat woke nobody, for a searcher that
                // finds nothing becomes the sentinel. This one has found something.
                self.tell(News::to_watch());
            }
            if look.has_blocking() {
                self.tell(News::blocking());
            }
        }
    }

    /// Whether others have answered their beats, and there is room for what they share next. In the
    /// place of a sentinel that sleeps for long, the caller then leaves all beats raised.
    fn see_to_beats(&self, look: &Look<'_>) -> bool {
        let is_answered = self.team().has_room_beside() && look.any_beat_answered(&self.seat);
        let sleep = &self.team().sleep;
        if is_answered && sleep.needs_watch() && sleep.finds_sentinel() {
            look.raise_beats(Some(&self.seat));
        }
        is_answered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parker::Parker;
    use crate::pool::ThreadPool;
    use crate::queue::forks::Offered;
    use crate::queue::pinned::Pinned;
    use crate::sync::{Arc, Instant};
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn who_finds_work_leaves_no_hidden_fork_without_a_sentinel() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        pool.with_worker(|worker| {
            let sleep = &worker.team().sleep;
            let idle = Arc::new(Parker::new());
            sleep.search_begin();
            sleep.park_begin(&idle);
            sleep.search_begin();
            let hour = Duration::from_secs(3600);
            worker.seat.hidden.hide(Instant::now() + hour);
            worker.joins.forks.push(Offered::nothing());
            worker.announce_forks();
            assert!(!idle.has_token(), "somebody searches");
            worker.end_search();
            assert!(idle.has_token());
            worker.joins.forks.pop();
            worker.seat.hidden.show();
            sleep.park_cancel(&idle);
            worker.end_search();
        });
    }

    #[test]
    fn who_ends_is_no_searcher_while_it_runs_what_was_for_it_alone() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let registry = pool.registry();
        let pinned = Arc::new(Pinned::new(0));
        let worker = Worker::new(registry, Rank::Frame, Some(pinned.clone()));
        let (sender, receiver) = mpsc::channel();
        let seen = registry.clone();
        let job = registry.reported(move || {
            sender.send(seen.frame().sleep.searchers()).unwrap();
        });
        assert!(pinned.push(job).is_ok());
        worker.team().sleep.search_begin();
        worker.leave(Doing::Retired);
        assert_eq!(receiver.try_recv(), Ok(0));
    }
}
