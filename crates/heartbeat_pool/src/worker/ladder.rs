//! The steps by which a thread without work comes to sleep, and how long it sleeps on each.
//!
//! | step | how many | sleeps | what others may rely on | ends, but for work |
//! | --- | --- | --- | --- | --- |
//! | search | any | no | it finds what is queued | at once; the only one, if there is room, after 20 µs, or when its core is wanted |
//! | nap | any for which helping doesn't pay | a beat | it looks within a beat | after that |
//! | sentinel, alert | one | a beat | it looks within a beat, and raises the beats | 8 calm beats, 2 quiet ones, or no room |
//! | sentinel, drowsy | the same one | 16 ms, or 4 if something may be stuck | it looks some time; beats stay raised | nothing runs |
//! | lookout | one | 32, 64, 128 ms | it looks some time | 2 sleeps in which nobody wanted a sentinel |
//! | sleep | the others | until woken | nothing | |
//!
//! Each step is announced to those who queue (`idle/sleep.rs`) before the last look that it ends
//! with. Why there is a lookout is in `heartbeat/README.md`.

use super::Worker;
use super::life::Doing;
use super::watch::WatchEnd;
use crate::cost::WAKE_UP;
use crate::idle::spin;
use crate::lanes::stuck::RELIEF;
use crate::placement;
use crate::sync::{Instant, lock};
use crate::threads::live;
use heartbeat_record::Lane;
use std::cell::Cell;
use std::time::Duration;

/// How long a drowsy sentinel sleeps. A pool that runs one long serial job wakes this seldom.
pub(super) const DROWSY: Duration = Duration::from_millis(16);

/// Looks in a row at a pool that needs no sentinel, after which a sentinel or a lookout leaves, for
/// work from outside often comes in bursts; and stretches of work in a row that did not pay, after
/// which the worker is shy. One alone may be chance.
pub(super) const ENOUGH: u32 = 2;

impl Worker {
    /// Climbs down from the first step.
    pub(super) fn idle(&self) -> Doing {
        self.team().untaken.end();
        // Nobody is in the way of a pool that does nothing.
        let shy = self.stretch.is_shy() && !self.team().occupancy.is_quiet();
        if !shy && self.spin() {
            return Doing::Searching;
        }
        self.sleep()
    }

    /// The only searcher asks for work to be shared, and waits as long as a sleep would cost: what
    /// comes meanwhile is handed over without a wake-up.
    fn spin(&self) -> bool {
        let team = self.team();
        if team.sleep.searchers() != 1 || !team.has_room_beside() {
            return false;
        }
        // Somebody woken on this core can't begin before the search ends.
        let gives_way = Cell::new(false);
        let ready = || {
            gives_way.set(placement::is_claimed());
            gives_way.get() || self.look().has_admissible_work() || self.is_called()
        };
        self.look().raise_beats(Some(&self.seat));
        spin::until(WAKE_UP, ready) && !gives_way.get()
    }

    /// Lets a beat pass before the next look, which it promises as an alert sentinel does.
    fn nap(&self) {
        let (sleep, beat) = (&self.team().sleep, self.registry.config.beat);
        self.seat.counters.parks.bump();
        sleep.alert_begin();
        if !self.parker.park_timeout(beat) {
            self.make_way();
            self.look().raise_beats(Some(&self.seat));
        }
        sleep.alert_end();
    }

    /// Whether there is something to do for this very thread.
    pub(super) fn is_called(&self) -> bool {
        !self.mailbox.is_empty() || self.has_pinned() || self.team().has_ended()
    }

    /// Whether nothing runs, nor could. (In a pool that has just lost its threads, what is queued
    /// is not for this one any more.)
    pub(crate) fn is_pool_quiet(&self) -> bool {
        self.team().occupancy.is_quiet() && !self.look().has_admissible_work()
    }

    /// Takes the thread off the idle list: it looks for work, counted as a searcher.
    fn back(&self) -> Doing {
        // A waker that was first has counted the thread as well.
        self.team().sleep.park_cancel(&self.parker);
        Doing::Searching
    }

    fn sleep(&self) -> Doing {
        let team = self.team();
        // The next job's first fork is offered at once.
        self.seat.beat.raise();
        self.deque.tell_if_empty();
        self.joins.forks.tell_if_empty();
        let idle = team.sleep.park_begin(&self.parker);
        if self.is_called() {
            return self.back();
        }
        if self.stretch.take_shyness() && team.has_room_beside() && !team.occupancy.is_quiet() {
            self.nap();
            return self.back();
        }
        if self.look().has_admissible_work() {
            return self.back();
        }
        if self.retires(idle) {
            self.back();
            return Doing::Retired;
        }
        self.seat.counters.parks.bump();
        if let Some(woken) = self.keep_watch() {
            return woken;
        }
        if team.sleep.needs_watch() && team.has_room_beside() {
            // Of several that have left the count together each saw another one search, and nobody
            // has asked. The sentinel, if there is one, sleeps for long.
            self.look().raise_beats(Some(&self.seat));
        }
        self.parker.park();
        self.seat.counters.woken.bump();
        self.make_way();
        self.back()
    }

    /// Whether the thread, which went idle as the last of `idle`, ends, for it is one too many.
    /// Tasks of its own would end with it.
    fn retires(&self, idle: usize) -> bool {
        let Some(pinned) = &self.pinned else {
            return false;
        };
        let (threads, occupancy) = (&self.team().threads, &self.team().occupancy);
        // Again, under the lock: a pool that has grown meanwhile has found this thread alive.
        let (index, has_spares) = (pinned.index, self.registry.config.has_spares);
        let retires = live::is_surplus(occupancy, index, idle, has_spares)
            && !self.mailbox.has_tasks()
            && lock(&threads.slots)
                .live
                .retire(occupancy, index, has_spares);
        if retires {
            pinned.close();
        }
        retires
    }

    /// As the sentinel, and then the lookout, if there is none. None if the thread may sleep
    /// without a timer.
    fn keep_watch(&self) -> Option<Doing> {
        let sleep = &self.team().sleep;
        while sleep.sentinel_begin() {
            let end = self.keep_beat();
            sleep.sentinel_end();
            match end {
                WatchEnd::Called => return Some(self.back()),
                WatchEnd::Quiet if self.is_pool_quiet() => {
                    if !sleep.lookout_begin(&self.parker) {
                        return None;
                    }
                    let called = self.look_out();
                    sleep.lookout_end();
                    if called {
                        return Some(self.back());
                    }
                    if self.is_pool_quiet() {
                        return None;
                    }
                }
                // Once more round: work may have begun just then and seen a sentinel.
                WatchEnd::Quiet => {}
                WatchEnd::Stuck { lane, is_demanded } => {
                    return Some(self.relieve(lane, is_demanded));
                }
            }
        }
        None
    }

    /// Runs work of `lane` that what runs may be blocked on; the thread is counted as running it
    /// already.
    fn relieve(&self, lane: Lane, is_demanded: bool) -> Doing {
        self.back();
        self.count_as(Some(lane));
        self.count.relief.begin(lane);
        self.end_search();
        self.begin_stretch();
        if lane == Lane::Frame || is_demanded {
            self.pop(lane).into_iter().for_each(|found| self.run(found));
            return Doing::Working;
        }
        // No other jobs, which have to wait for their turn; and of parts not one alone where they
        // are short, for the one that is waited for may lie behind many.
        let start = Instant::now();
        while let Some(part) = self.take_part(lane) {
            self.run(part);
            if start.elapsed() >= RELIEF {
                break;
            }
        }
        Doing::Working
    }

    /// Sleeps as the lookout until the caller, which is listed as idle, is called (true), or
    /// somebody runs, or nobody has wanted a sentinel for a while.
    fn look_out(&self) -> bool {
        let sleep = &self.team().sleep;
        let mut misses = 0;
        let mut interval = DROWSY;
        if !sleep.take_asked() {
            return false;
        }
        while misses < ENOUGH {
            // From two frames on, for a look takes as long as a short frame.
            interval = (2 * interval).min(8 * DROWSY);
            let called = self.parker.park_timeout(interval);
            self.make_way();
            if called {
                return true;
            }
            if !self.is_pool_quiet() {
                return false;
            }
            misses = if sleep.take_asked() { 0 } else { misses + 1 };
        }
        false
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use crate::lanes::untaken::{FOR_LONG, Taken};
    use crate::pool::ThreadPool;
    use crate::queue::pinned::Pinned;
    use crate::registry::team::Rank;
    use crate::sync::lock;
    use crate::worker::Worker;
    use std::future::pending;
    use std::rc::Rc;
    use std::thread;
    use std::time::{Duration, Instant};

    #[test]
    fn nothing_is_left_once_a_thread_is_free() {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = builder.build().unwrap();
        let untaken = &pool.registry().frame().untaken;
        pool.install(|_| ());
        untaken.look(Some(Taken::OfAny(0)));
        thread::sleep(FOR_LONG);
        assert!(untaken.look(Some(Taken::OfAny(0))));
        pool.install(|_| ());
        let end = Instant::now() + Duration::from_secs(10);
        while untaken.is_left() {
            assert!(Instant::now() < end);
            thread::yield_now();
        }
        // Nor at the next look.
        assert!(!untaken.look(Some(Taken::OfAny(0))));
    }

    #[test]
    fn a_thread_with_tasks_of_its_own_is_none_too_many() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let registry = pool.registry();
        let slots = &registry.frame().threads.slots;
        let pinned = lock(slots).live.begin(Some(0), Pinned::new).unwrap();
        let worker = Rc::new(Worker::new(registry, Rank::Frame, Some(pinned.clone())));
        let task = worker.mailbox.spawn(pending::<()>());
        worker.mailbox.try_tick();
        assert!(!worker.retires(1));
        drop(task);
        while worker.mailbox.try_tick() {}
        assert!(worker.retires(1));
        assert!(pinned.is_closed());
        registry.frame().threads.end(&pinned);
    }
}
