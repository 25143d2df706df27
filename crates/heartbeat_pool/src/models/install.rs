//! A call from outside that one of the pool's threads is to run, against a pool that loses its
//! threads.
//!
//! [`Pool::install`] stands for `install` of `verbs/install.rs`, [`Pool::rest`] for `sleep_once` of
//! `worker/duty.rs`, [`Pool::member`] for `sleep` of `worker/ladder.rs` with the search around it,
//! [`Pool::shrink`] for `size_team` of `registry/start.rs`. The latch, the lists, the counts and
//! the sleep are the pool's own.

use super::check;
use crate::idle::sleep::{Sleep, Wake};
use crate::idle::waiters::Waiters;
use crate::lanes::occupancy::Occupancy;
use crate::latch::CountLatch;
use crate::parker::Parker;
use crate::sync::{Arc, AtomicUsize, Ordering};
use heartbeat_record::Lane;
use loom::cell::UnsafeCell;
use loom::thread;

/// A pool of one thread, and the one call that comes.
struct Pool {
    sleep: Sleep,
    waiters: Waiters,
    occupancy: Occupancy,
    queued: AtomicUsize,
    latch: CountLatch,
    /// What the call leaves.
    outcome: UnsafeCell<u32>,
    /// The caller's.
    parker: Arc<Parker>,
}

impl Pool {
    fn new() -> Arc<Self> {
        let occupancy = Occupancy::new();
        occupancy.set_target(1);
        let parker = Arc::new(Parker::new());
        Arc::new(Self {
            sleep: Sleep::default(),
            waiters: Waiters::default(),
            occupancy,
            queued: AtomicUsize::new(0),
            latch: CountLatch::new(parker.clone()),
            outcome: UnsafeCell::new(0),
            parker,
        })
    }

    fn has_work(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
    }

    fn has_threads(&self) -> bool {
        self.occupancy.target() > 0
    }

    /// Runs the call, if it is there.
    fn run(&self) {
        let less = |jobs: usize| jobs.checked_sub(1);
        let taken = self
            .queued
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, less);
        if taken.is_ok() {
            // SAFETY: it is taken once, and its caller reads only once the latch is done.
            self.outcome.with_mut(|outcome| unsafe { *outcome += 1 });
            self.latch.finish();
        }
    }

    fn inject(&self) {
        self.latch.begin();
        self.queued.fetch_add(1, Ordering::Release);
        if self.sleep.needs_searcher() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    fn shrink(&self) {
        self.occupancy.set_target(0);
        self.sleep.wake_all();
        self.waiters.wake_all();
    }

    /// The pool's thread, until the pool needs it no more.
    fn member(&self) {
        let parker = Arc::new(Parker::new());
        self.sleep.search_begin();
        while self.has_threads() {
            if self.occupancy.try_admit(Lane::Frame) {
                self.run();
                self.occupancy.leave(Lane::Frame);
            }
            self.sleep.park_begin(&parker);
            if self.has_threads() && !self.has_work() {
                parker.park();
            }
            self.sleep.park_cancel(&parker);
        }
        if self.sleep.search_end() && self.has_work() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    /// One sleep of the caller. True if it must do the pool's work.
    fn rest(&self) -> bool {
        self.waiters.add(&self.parker);
        let stands_in = !self.has_threads();
        if stands_in {
            self.sleep.wait_begin(&self.parker);
        }
        let mut needed = stands_in && self.has_work();
        if !needed && !self.latch.is_done(0) {
            self.parker.park();
        }
        if stands_in && self.sleep.wait_end(&self.parker) && self.has_work() {
            // Nobody else is there to hand it on to.
            needed = true;
        }
        self.waiters.remove(&self.parker);
        needed
    }

    fn install(&self) -> u32 {
        self.inject();
        while !self.latch.is_done(0) {
            if self.rest() {
                self.run();
            }
        }
        // SAFETY: the latch is done.
        self.outcome.with(|outcome| unsafe { *outcome })
    }
}

/// The call, the pool's thread, which may be asleep or find it or no more, and one that takes that
/// thread away: the call runs once, and its caller sees what it left.
#[test]
fn a_call_is_run_though_the_pool_loses_its_thread() {
    check(2, || {
        let pool = Pool::new();
        let threads = [Pool::member, Pool::shrink].map(|act| {
            let pool = pool.clone();
            thread::spawn(move || act(&pool))
        });
        assert_eq!(pool.install(), 1);
        for thread in threads {
            thread.join().unwrap();
        }
        assert!(!pool.has_work() && pool.occupancy.is_quiet());
    });
}

/// The caller, up to its sleep, for loom can't unwind out of a deadlock; a thread that runs the
/// call if it still may, and one that takes it away.
fn call_and_look(is_known: bool) {
    let pool = Pool::new();
    pool.inject();
    let member = |pool: &Pool| {
        if pool.occupancy.try_admit(Lane::Frame) {
            pool.run();
            pool.occupancy.leave(Lane::Frame);
        }
    };
    let threads = [member, Pool::shrink].map(|act| {
        let pool = pool.clone();
        thread::spawn(move || act(&pool))
    });
    if is_known {
        pool.waiters.add(&pool.parker);
    }
    let must_help = is_known && !pool.has_threads();
    let sleeps = !must_help && !pool.latch.is_done(0);
    for thread in threads {
        thread.join().unwrap();
    }
    assert!(!sleeps || pool.parker.has_token(), "lost wake-up");
}

#[test]
fn a_caller_that_the_pool_knows_is_told_that_the_threads_are_gone() {
    loom::model(|| call_and_look(true));
}

/// One that waits for its call alone sleeps for good where nobody is left to run that; loom must
/// find it.
#[test]
#[should_panic(expected = "lost wake-up")]
fn a_caller_that_waits_for_its_call_alone_sleeps_for_good() {
    loom::model(|| call_and_look(false));
}
