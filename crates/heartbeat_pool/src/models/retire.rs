//! Idle threads that end against a pool that grows.
//!
//! [`Pool::retire`] stands for `retires` of `worker/ladder.rs` with `Live::retire` of
//! `threads/live.rs` and the end of such a thread, [`Pool::grow`] for `size_team` of
//! `registry/start.rs` with `start`. What lives where is the pool's own list.

use super::check;
use crate::idle::sleep::Sleep;
use crate::lanes::occupancy::Occupancy;
use crate::parker::Parker;
use crate::sync::{Arc, Mutex, lock};
use crate::threads::live::{self, Live};
use heartbeat_record::Lane;
use loom::thread;

struct Pool {
    live: Mutex<Live<usize>>,
    occupancy: Occupancy,
    sleep: Sleep,
}

impl Pool {
    /// One that is meant to have `target` threads, and has `alive`.
    fn new(target: usize, alive: usize) -> Arc<Self> {
        let pool = Arc::new(Self {
            live: Mutex::new(Live::default()),
            occupancy: Occupancy::new(),
            sleep: Sleep::default(),
        });
        pool.occupancy.set_target(target);
        Self::start(&mut lock(&pool.live), alive);
        pool
    }

    /// Gives places to those that are missing of the first `count`. Gives the last one's index if
    /// that was missing.
    fn start(live: &mut Live<usize>, count: usize) -> Option<usize> {
        let starts = (0..count).map(|index| live.begin(Some(index), |index| index));
        starts.last().flatten().map(|started| *started)
    }

    fn grow(&self, threads: usize) -> Option<usize> {
        let mut live = lock(&self.live);
        self.occupancy.set_target(threads);
        let started = Self::start(&mut live, threads);
        drop(live);
        self.sleep.wake_all();
        started
    }

    /// Ends the thread of `index`, the last of `idle`, if it is one too many by `occupancy`, once
    /// that was so before.
    fn retire_by(&self, occupancy: &Occupancy, index: usize, idle: usize) -> bool {
        let own = lock(&self.live).get(index);
        if !live::is_surplus(&self.occupancy, index, idle, true)
            || !lock(&self.live).retire(occupancy, index, true)
        {
            return false;
        }
        own.iter().for_each(|own| lock(&self.live).end(index, own));
        true
    }

    fn retire(&self, index: usize, idle: usize) -> bool {
        self.retire_by(&self.occupancy, index, idle)
    }
}

/// A pool that had lost its threads and gets one again, and the old one, which may be anywhere
/// before its end or its sleep: it stays and sees that it is wanted, or another one is started.
#[test]
fn who_is_wanted_again_stays_or_is_replaced() {
    loom::model(|| {
        let pool = Pool::new(0, 1);
        pool.sleep.search_begin();
        let old = {
            let pool = pool.clone();
            thread::spawn(move || {
                let parker = Arc::new(Parker::new());
                while !pool.occupancy.admits(Lane::Frame) {
                    let idle = pool.sleep.park_begin(&parker);
                    if pool.occupancy.admits(Lane::Frame) {
                        pool.sleep.park_cancel(&parker);
                        continue;
                    }
                    if pool.retire(0, idle) {
                        return true;
                    }
                    parker.park();
                    pool.sleep.park_cancel(&parker);
                }
                false
            })
        };
        let replaced = pool.grow(1).is_some();
        assert_eq!(old.join().unwrap(), replaced);
        let live = lock(&pool.live);
        assert!(live.get(0).is_some() && !live.has_retiring());
    });
}

/// Two spare threads that both take themselves for one too many: one of them ends.
#[test]
fn of_two_that_could_end_one_stays() {
    loom::model(|| {
        let pool = Pool::new(1, 6);
        let other = {
            let pool = pool.clone();
            thread::spawn(move || pool.retire(5, 6))
        };
        let ends = pool.retire(4, 6);
        assert_ne!(ends, other.join().unwrap());
        assert_eq!(lock(&pool.live).iter().count(), 5);
    });
}

/// The same in a pool that grows by them meanwhile: afterwards all live.
#[test]
fn a_pool_that_grows_by_its_spares_has_all() {
    check(4, || {
        let pool = Pool::new(1, 6);
        let spares = [4, 5].map(|index| {
            let pool = pool.clone();
            thread::spawn(move || pool.retire(index, 6))
        });
        pool.grow(6);
        for spare in spares {
            spare.join().unwrap();
        }
        let live = lock(&pool.live);
        assert!(live.has_first(6) && !live.has_retiring());
    });
}

/// A thread that ends by what it saw before it had the lock may be the one that is wanted; loom
/// must find that.
#[test]
#[should_panic(expected = "a wanted thread is gone")]
fn who_ends_by_an_old_look_is_missed() {
    loom::model(|| {
        let pool = Pool::new(0, 1);
        let old = {
            let pool = pool.clone();
            thread::spawn(move || pool.retire_by(&Occupancy::new(), 0, 1))
        };
        pool.grow(1);
        old.join().unwrap();
        assert!(lock(&pool.live).get(0).is_some(), "a wanted thread is gone");
    });
}
