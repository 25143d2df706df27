//! A wait for a future against a pool that loses its threads.
//!
//! [`Pool::rest`] stands for `sleep_once` of `worker/duty.rs`, the loop around it for `drive` of
//! `verbs/block_on.rs`, [`Pool::shrink`] for `size_team` of `registry/start.rs`. The lists, the
//! counts, the signal and the sleep are the pool's own.

use super::check;
use crate::idle::sleep::{Sleep, Wake};
use crate::idle::waiters::Waiters;
use crate::lanes::occupancy::Occupancy;
use crate::parker::Parker;
use crate::signal::Signal;
use crate::sync::{Arc, AtomicUsize, Ordering};
use heartbeat_record::Lane;
use loom::thread;

/// A pool of one thread, with one queue.
struct Pool {
    sleep: Sleep,
    waiters: Waiters,
    occupancy: Occupancy,
    queued: AtomicUsize,
}

impl Pool {
    fn new(queued: usize) -> Arc<Self> {
        let occupancy = Occupancy::new();
        occupancy.set_target(1);
        Arc::new(Self {
            sleep: Sleep::default(),
            waiters: Waiters::default(),
            occupancy,
            queued: AtomicUsize::new(queued),
        })
    }

    fn has_work(&self) -> bool {
        self.queued.load(Ordering::Relaxed) > 0
    }

    fn take(&self) -> bool {
        let less = |jobs: usize| jobs.checked_sub(1);
        self.queued
            .fetch_update(Ordering::AcqRel, Ordering::Relaxed, less)
            .is_ok()
    }

    fn shrink(&self) {
        self.occupancy.set_target(0);
        self.sleep.wake_all();
        self.waiters.wake_all();
    }

    fn push(&self) {
        self.queued.fetch_add(1, Ordering::Release);
        if self.sleep.needs_searcher() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    /// One sleep of a waiting thread. True if it must do the pool's work.
    fn rest(&self, signal: &Signal) -> bool {
        let parker = signal.owner();
        self.waiters.add(parker);
        let stands_in = self.occupancy.target() == 0;
        if stands_in {
            self.sleep.wait_begin(parker);
        }
        let mut needed = stands_in && self.has_work();
        if !needed && !signal.is_set() {
            parker.park();
        }
        let has_come_about = signal.is_set();
        if stands_in && self.sleep.wait_end(parker) && self.has_work() {
            // Nobody else is there to hand it on to.
            needed = true;
        }
        self.waiters.remove(parker);
        needed && !has_come_about
    }

    /// Waits for the job, whoever does it.
    fn block_on(&self, signal: &Signal) {
        while !signal.take() {
            if self.rest(signal) && self.take() {
                signal.set();
            }
        }
    }
}

/// A thread that waits for a job, the pool's thread, which finds it or no more, and one that takes
/// that thread away.
#[test]
fn a_wait_does_the_work_of_a_pool_that_loses_its_thread() {
    check(3, || {
        let pool = Pool::new(1);
        let signal = Arc::new(Signal::new(Arc::new(Parker::new())));
        let member = {
            let (pool, signal) = (pool.clone(), signal.clone());
            thread::spawn(move || {
                if pool.occupancy.try_admit(Lane::Frame) {
                    if pool.take() {
                        signal.set();
                    }
                    pool.occupancy.leave(Lane::Frame);
                }
            })
        };
        let shrinker = {
            let pool = pool.clone();
            thread::spawn(move || pool.shrink())
        };
        pool.block_on(&signal);
        member.join().unwrap();
        shrinker.join().unwrap();
        assert!(!pool.has_work() && pool.occupancy.is_quiet());
    });
}

/// A job that comes while the pool loses its thread, which finds nothing any more: the wait finds
/// it.
#[test]
fn a_wait_finds_what_comes_after_the_threads_are_gone() {
    check(3, || {
        let pool = Pool::new(0);
        let signal = Arc::new(Signal::new(Arc::new(Parker::new())));
        let threads = [Pool::shrink, Pool::push].map(|act| {
            let pool = pool.clone();
            thread::spawn(move || act(&pool))
        });
        pool.block_on(&signal);
        threads
            .into_iter()
            .for_each(|thread| thread.join().unwrap());
    });
}

/// A thread that may be anywhere before its sleep, and one that takes the threads away. It stops
/// short of its sleep, for loom can't unwind out of a deadlock.
fn list_and_look(lists_first: bool) {
    let pool = Pool::new(1);
    let parker = Arc::new(Parker::new());
    let shrinker = {
        let pool = pool.clone();
        thread::spawn(move || pool.shrink())
    };
    if lists_first {
        pool.waiters.add(&parker);
    }
    let sleeps = pool.occupancy.target() > 0;
    if !lists_first {
        pool.waiters.add(&parker);
    }
    shrinker.join().unwrap();
    assert!(!sleeps || parker.has_token(), "lost wake-up");
}

#[test]
fn who_is_listed_first_sees_that_the_threads_are_gone() {
    loom::model(|| list_and_look(true));
}

/// A thread that looks first and is listed then sleeps for good; loom must find that.
#[test]
#[should_panic(expected = "lost wake-up")]
fn who_looks_first_sleeps_for_good() {
    loom::model(|| list_and_look(false));
}
