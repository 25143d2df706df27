//! Waiting: run what is waited for, else leave the count and sleep.

use crate::cost::WAKE_UP;
use crate::idle::spin;
use crate::parker::Parker;
use crate::placement;
use crate::registry::Registry;
use crate::registry::threads::RETRY;
use crate::sync::Arc;
use crate::threads::this_thread::Waiting;
use crate::unwind;
use crate::worker::Worker;
use crate::worker::current;
use crate::worker::duty;
use crate::worker::turns::Turns;
use heartbeat_record::{What, note};

/// Something that a worker waits for.
pub(crate) trait Wait {
    /// Whether it has come about.
    fn is_done(&self) -> bool;
    /// Runs one piece of the work that is waited for; if `is_strangers_turn`, of what usually comes
    /// last. False if there is none to take.
    fn step(&self, worker: &Worker, is_strangers_turn: bool) -> bool;
    /// Whether `step` would find something.
    fn is_ready(&self) -> bool;
    /// Tells those who could wake the waiter that it is about to sleep, or that it no longer is.
    fn set_asleep(&self, _asleep: bool) {}
    /// Whether all that it waits for unparks this `parker`.
    fn unparks(&self, _parker: &Arc<Parker>) -> bool {
        true
    }
    /// Lets others come for its own work, of which this thread alone was told, perhaps.
    fn offer(&self) {}
    /// How many jobs in the pool's queues are ways to its own work.
    fn tickets(&self) -> usize {
        0
    }
    /// What it is, for the recorder.
    fn kind(&self) -> heartbeat_record::Wait;
}

impl Worker {
    /// Waits for `event`. Runs what that offers, what only this thread may run, and of strangers'
    /// work what no other thread could do ([`duty`]), so a wait meets no lock that
    /// its caller holds, nor nests deeper than the program does. A spare thread has room in its
    /// place meanwhile, so no core idles either.
    pub(crate) fn wait(&self, event: &impl Wait) {
        // Others point into the frames of whoever waits here.
        let wait = event.kind();
        unwind::or_abort(|| {
            let begun = || What::WaitBegun { wait };
            note::around(begun, What::WaitEnded, || self.wait_out(event));
        });
    }

    fn wait_out(&self, event: &impl Wait) {
        let _waiting = Waiting::begin();
        let mut turns = Turns::default();
        loop {
            if event.is_done() {
                return;
            }
            let is_strangers_turn = turns.count();
            // Its own work may never end until a pinned job has run.
            let has_run = is_strangers_turn && current::run_pinned();
            if event.step(self, is_strangers_turn)
                || has_run
                || duty::do_what_only_it_does(Some(&self.registry))
            {
                if is_strangers_turn {
                    let is_stuck = turns.look(Some((&self.registry, event.tickets())));
                    if is_stuck {
                        event.offer();
                        duty::do_what_only_it_does(Some(&self.registry));
                    }
                    duty::do_what_is_left(is_stuck, || event.offer());
                }
                continue;
            }
            let came_about = || event.is_done() || event.is_ready() || current::has_pinned();
            // A thread that was woken on this core may be just the one to help. (If it is a lower
            // thread, this gives up a spin for nothing.)
            if spin::until(WAKE_UP, || came_about() || placement::is_claimed()) && came_about() {
                continue;
            }
            self.sleep_for(event, came_about);
            turns.end();
            // Its own work may come in pieces without end, each after a sleep.
            if !event.is_done() {
                duty::do_what_is_left(true, || event.offer());
            }
        }
    }

    /// Leaves the count and sleeps until `event` `came_about`, or the thread is needed.
    fn sleep_for(&self, event: &impl Wait, came_about: impl Fn() -> bool) {
        let standing = Self::stand_up();
        self.seat.counters.parks.bump();
        let begin = || event.set_asleep(true);
        let needed = if event.unparks(&self.parker) {
            duty::rest(Some(&self.registry), &self.parker, begin, came_about)
        } else {
            begin();
            _ = came_about() || self.parker.park_timeout(RETRY);
            None
        };
        event.set_asleep(false);
        drop(standing);
        match needed {
            // A thread that saw this one asleep until just now has called nobody else.
            Some(duty) if event.is_ready() => duty.hand_on(),
            Some(duty) => duty.do_a_piece(),
            None => {}
        }
    }
}

/// What the calling thread waits for without work of its own to do meanwhile, by its own parker,
/// which is unparked when that comes about.
pub(crate) struct BareWait<'a, F> {
    /// The pool whose work it does where nobody else could.
    pub(crate) pool: Option<&'a Arc<Registry>>,
    pub(crate) kind: heartbeat_record::Wait,
    pub(crate) parker: &'a Arc<Parker>,
    pub(crate) is_over: F,
}

impl<F: Fn() -> bool> BareWait<'_, F> {
    /// Sleeps after a moment, counted nowhere, unless there is work for this very thread, or work
    /// of the pool that nobody else could do.
    pub(crate) fn rest(&self, turns: &mut Turns) {
        if duty::do_what_only_it_does(self.pool) {
            if turns.count() && turns.look(None) {
                duty::help_out();
            }
            return;
        }
        turns.end();
        let begun = || What::WaitBegun { wait: self.kind };
        let needed = note::around(begun, What::WaitEnded, || {
            let _standing = Worker::stand_up();
            // What is waited for is often almost there, unless it, or the thread that is to help
            // with it, needs this core.
            let has_to_sleep = || placement::keeps_lower() || placement::is_claimed();
            if !self.is_in_the_way() {
                spin::until(WAKE_UP, || (self.is_over)() || has_to_sleep());
            }
            let came_about = || (self.is_over)() || current::has_pinned();
            duty::rest(self.pool, self.parker, || {}, came_about)
        });
        if let Some(duty) = needed {
            duty.do_a_piece();
        }
    }

    /// Whether the pool's one thread was last seen to run on this core, which it then needs. Of
    /// several threads it is mostly one on another core that comes.
    fn is_in_the_way(&self) -> bool {
        let team = self.pool.map(|pool| pool.frame());
        let lone = team.filter(|team| team.occupancy.target() == 1);
        lone.is_some_and(|team| {
            let seats = team.seats.listed();
            placement::is_kept_from(seats.iter().map(|seat| seat.core.get()))
        })
    }

    /// Waits to the end, without unwinding: others point into the frames of whoever waits here.
    pub(crate) fn to_the_end(&self) {
        unwind::or_abort(|| {
            let _waiting = Waiting::begin();
            let mut turns = Turns::default();
            while !(self.is_over)() {
                self.rest(&mut turns);
            }
        });
    }
}

#[cfg(all(test, not(heartbeat_loom)))]
mod tests {
    use super::*;
    use crate::latch::CountLatch;
    use crate::pool::ThreadPool;
    use crate::queue::deque::Order;
    use crate::sync::{AtomicBool, AtomicUsize, Mutex, Ordering, lock};
    use crate::threads::this_thread;
    use heartbeat_record::Lane;
    use std::cell::Cell;
    use std::hint;
    use std::io::ErrorKind;
    use std::thread;
    use std::time::Duration;

    /// A wait whose own work comes when others still see the waiter asleep, and the pool's a little
    /// before that.
    struct Late<'a> {
        pool: &'a ThreadPool,
        is_ready: Cell<bool>,
        /// How many of the pool's jobs have run.
        jobs: Arc<AtomicUsize>,
        /// The same when this wait's own work was run.
        jobs_before: Cell<Option<usize>>,
    }

    impl<'a> Late<'a> {
        fn new(pool: &'a ThreadPool) -> Self {
            Self {
                pool,
                is_ready: Cell::new(false),
                jobs: Arc::new(AtomicUsize::new(0)),
                jobs_before: Cell::new(None),
            }
        }
    }

    impl Wait for Late<'_> {
        fn is_done(&self) -> bool {
            self.jobs_before.get().is_some()
        }

        fn step(&self, _: &Worker, _: bool) -> bool {
            let is_ready = self.is_ready.get();
            if is_ready {
                self.jobs_before
                    .set(Some(self.jobs.load(Ordering::Relaxed)));
            }
            is_ready
        }

        fn is_ready(&self) -> bool {
            self.is_ready.get()
        }

        fn set_asleep(&self, asleep: bool) {
            if asleep {
                let jobs = self.jobs.clone();
                self.pool.spawn(Lane::Frame, move || {
                    jobs.fetch_add(1, Ordering::Relaxed);
                });
            } else {
                self.is_ready.set(true);
            }
        }

        fn kind(&self) -> heartbeat_record::Wait {
            heartbeat_record::Wait::Scope
        }
    }

    #[test]
    fn who_was_called_to_its_own_work_does_no_strangers_first() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let late = Late::new(&pool);
        pool.with_worker(|worker| worker.wait(&late));
        assert_eq!(late.jobs_before.get(), Some(0));
        assert!(pool.tick());
    }

    #[test]
    fn who_sleeps_in_a_wait_is_counted_as_parked() {
        let pool = ThreadPool::builder().num_threads(0).build().unwrap();
        let late = Late::new(&pool);
        pool.with_worker(|worker| {
            let parks = || worker.seat.counters.parks.get();
            let before = parks();
            worker.wait(&late);
            assert_eq!(parks(), before + 1);
        });
        assert!(pool.tick());
    }

    /// The only one that runs keeps what is queued from nobody but those who wait.
    #[test]
    fn those_who_wait_call_each_other_no_more_once_all_sleep() {
        let left = Mutex::new(3_usize);
        let pool = ThreadPool::builder()
            .num_threads(3)
            .spawn_handler(move |thread| {
                let mut left = lock(&left);
                *left = left.checked_sub(1).ok_or(ErrorKind::WouldBlock)?;
                thread.spawn().map(drop)
            })
            .build()
            .unwrap();
        let (looks, latches) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let is_over = AtomicBool::new(false);
        let waits = || {
            let parker = this_thread::parker();
            let latch = Arc::new(CountLatch::new(parker.clone()));
            latch.begin();
            lock(&latches).push(latch.clone());
            let wait = BareWait {
                pool: Some(pool.registry()),
                kind: heartbeat_record::Wait::Scope,
                parker: &parker,
                is_over: || {
                    looks.fetch_add(1, Ordering::Relaxed);
                    latch.is_done(0)
                },
            };
            wait.to_the_end();
        };
        pool.scope_elsewhere(Order::OldestFirst, |scope| {
            scope.spawn(waits);
            scope.spawn(waits);
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    hint::spin_loop();
                }
            });
            while lock(&latches).len() < 2 {
                thread::yield_now();
            }
            thread::sleep(Duration::from_millis(20));
            pool.spawn(Lane::Frame, || ());
            thread::sleep(Duration::from_millis(20));
            let before = looks.load(Ordering::Relaxed);
            thread::sleep(Duration::from_millis(600));
            let looks = looks.load(Ordering::Relaxed) - before;
            is_over.store(true, Ordering::Relaxed);
            lock(&latches).iter().for_each(|latch| latch.finish());
            assert!(looks < 10_000, "they look {looks} times");
        });
    }

    #[test]
    fn a_thread_knows_whether_it_runs_something_inside_of_a_wait() {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = builder.build().unwrap();
        pool.install(|worker| {
            assert!(!this_thread::is_waiting());
            let waits = AtomicUsize::new(0);
            let count = || {
                let is_waiting = this_thread::is_waiting();
                waits.fetch_add(usize::from(is_waiting), Ordering::Relaxed);
            };
            worker.block_on(async { count() });
            assert_eq!(waits.load(Ordering::Relaxed), 1);
            worker.scope(|scope| scope.spawn(count));
            assert_eq!(waits.load(Ordering::Relaxed), 2);
            pool.scope_elsewhere(Order::OldestFirst, |scope| {
                assert!(scope.try_spawn_on(0, count));
            });
            assert_eq!(waits.load(Ordering::Relaxed), 3);
            assert!(!this_thread::is_waiting());
        });
    }
}
