//! A sentinel that relieves a stuck pool against the job that comes unstuck.
//!
//! [`Pool::relieve`] stands for the end of `keep_beat` of `worker/watch.rs` and for
//! `relieve` of `worker/ladder.rs`, [`Pool::work`] for `main_loop` of `worker/life.rs` with
//! `next_work` of `worker/work.rs`. The counts, the sleep and what tells which threads go on are
//! the pool's own. There are no spare threads, and time only for one relief.

use super::check;
use crate::idle::sleep::{Sleep, Wake};
use crate::lanes::occupancy::Occupancy;
use crate::lanes::relief::Relief;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Ordering};
use heartbeat_record::Lane;
use loom::thread;

const FRAME: Lane = Lane::Frame;

/// A pool of one thread, which runs a job that waits, in a way that the pool doesn't see, for all
/// that are queued.
struct Pool {
    sleep: Sleep,
    occupancy: Occupancy,
    queued: AtomicUsize,
    /// How many of those that it waits for are left.
    missed: AtomicUsize,
    blocked: Parker,
    is_over: AtomicBool,
}

impl Pool {
    fn new(queued: usize) -> Arc<Self> {
        let occupancy = Occupancy::new();
        occupancy.set_target(1);
        occupancy.enter(FRAME);
        Arc::new(Self {
            sleep: Sleep::default(),
            occupancy,
            queued: AtomicUsize::new(queued),
            missed: AtomicUsize::new(queued),
            blocked: Parker::new(),
            is_over: AtomicBool::new(false),
        })
    }

    fn has_work(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
    }

    fn is_admissible(&self) -> bool {
        self.has_work() && self.occupancy.admits(Lane::Frame)
    }

    fn take(&self) -> bool {
        let less = |jobs: usize| jobs.checked_sub(1);
        self.queued
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    fn wake_for_frame(&self) {
        if self.occupancy.admits(Lane::Frame) || !self.sleep.finds_sentinel() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    fn offer_room(&self) {
        if self.sleep.needs_watch() && self.has_work() {
            self.wake_for_frame();
        }
    }

    fn end_search(&self) {
        if self.sleep.search_end() && self.has_work() && self.sleep.needs_searcher() {
            self.wake_for_frame();
        }
    }

    /// Runs a job: one that the blocked one waits for, or else the one that this has queued, the
    /// last.
    fn run(&self) {
        let less = |jobs: usize| jobs.checked_sub(1);
        let missed = self
            .missed
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, less);
        match missed {
            Ok(1) => self.blocked.unpark(),
            Ok(_) => {}
            Err(_) => {
                self.is_over.store(true, Ordering::SeqCst);
                self.sleep.wake_all();
            }
        }
    }

    /// The rest of the blocked job, which queues one more before it ends.
    fn unblock(&self) {
        while self.missed.load(Ordering::Acquire) > 0 {
            self.blocked.park();
        }
        self.queued.fetch_add(1, Ordering::Relaxed);
        if self.sleep.needs_watch() {
            self.wake_for_frame();
        }
    }

    /// A thread that is counted as running, from the end of a job on, until all is over, or until
    /// it `rests`, which is to tell whether it stays awake.
    fn work(&self, relief: &Relief, rests: impl Fn(&Arc<Parker>) -> bool) {
        let parker = Arc::new(Parker::new());
        let mut counted = true;
        let mut searching = false;
        while !self.is_over.load(Ordering::Acquire) {
            if counted {
                if relief.is_one_too_many(&self.occupancy, Lane::Frame) {
                    relief.end();
                    self.occupancy.leave(FRAME);
                    counted = false;
                    self.offer_room();
                }
            } else {
                counted = self.has_work() && self.occupancy.try_admit(Lane::Frame);
            }
            if counted && self.take() {
                if searching {
                    searching = false;
                    self.end_search();
                }
                self.run();
                continue;
            }
            let worked = !searching;
            if worked {
                searching = true;
                self.sleep.search_begin();
            }
            if counted {
                relief.end();
                self.occupancy.leave(FRAME);
                counted = false;
            }
            if worked {
                continue;
            }
            self.sleep.park_begin(&parker);
            let awake = self.is_admissible() || self.is_over.load(Ordering::Acquire);
            if !awake && !rests(&parker) {
                return;
            }
            self.sleep.park_cancel(&parker);
        }
        if counted {
            relief.end();
            self.occupancy.leave(FRAME);
        }
        if searching {
            self.end_search();
        }
    }

    /// A sentinel, listed as idle, whose time for a relief has come. Then it goes on.
    fn relieve(&self, parker: &Arc<Parker>, relief: &Relief, goes_on: bool) {
        self.occupancy.enter(FRAME);
        self.sleep.sentinel_end();
        self.sleep.park_cancel(parker);
        if goes_on {
            relief.begin(Lane::Frame);
        }
        self.end_search();
        if self.take() {
            self.run();
        }
    }

    /// Makes the owner of `parker` the sentinel.
    fn has_sentinel(&self, parker: &Arc<Parker>) {
        self.sleep.search_begin();
        self.sleep.park_begin(parker);
        assert!(self.sleep.sentinel_begin());
    }
}

fn sleep(parker: &Arc<Parker>) -> bool {
    parker.park();
    true
}

/// A job that waits for others, a sentinel that relieves it: it runs all of them, though with the
/// blocked one it is beyond the number of threads. What that queues when it runs again is found by
/// one of the two, and nobody is counted in the end.
fn relieve(queued: usize) {
    let pool = Pool::new(queued);
    let parker = Arc::new(Parker::new());
    pool.has_sentinel(&parker);
    let sentinel = {
        let pool = pool.clone();
        thread::spawn(move || {
            let relief = Relief::default();
            pool.relieve(&parker, &relief, true);
            pool.work(&relief, sleep);
        })
    };
    pool.unblock();
    pool.work(&Relief::default(), sleep);
    sentinel.join().unwrap();
    assert!(!pool.has_work());
    assert!(pool.occupancy.is_quiet() && pool.occupancy.beyond(Lane::Frame) == 0);
    assert_eq!(pool.sleep.searchers(), 0);
}

#[test]
fn what_a_blocked_job_waits_for_is_run_and_what_it_queues_then() {
    check(3, || relieve(1));
}

#[test]
fn who_relieves_goes_on_until_a_blocked_job_runs() {
    check(3, || relieve(2));
}

/// Two jobs that a blocked one waits for. The sentinel stops short of its sleep, and the blocked
/// one, counted as ever, is not there at all, for loom can't unwind out of a deadlock.
fn two_jobs(goes_on: bool) {
    let pool = Pool::new(2);
    let parker = Arc::new(Parker::new());
    pool.has_sentinel(&parker);
    let sentinel = {
        let pool = pool.clone();
        thread::spawn(move || {
            let relief = Relief::default();
            pool.relieve(&parker, &relief, goes_on);
            pool.work(&relief, |_| false);
        })
    };
    sentinel.join().unwrap();
    assert!(!pool.has_work(), "left to nobody");
    // The blocked one, and nobody else.
    assert!(!pool.occupancy.is_quiet() && pool.occupancy.beyond(Lane::Frame) == 0);
}

#[test]
fn who_relieves_runs_all_that_is_queued() {
    loom::model(|| two_jobs(true));
}

/// A thread that stands down as soon as it is one too many leaves the second job to nobody; loom
/// must find that.
#[test]
#[should_panic(expected = "left to nobody")]
fn who_relieves_and_stands_down_leaves_a_job() {
    loom::model(|| two_jobs(false));
}
