//! Forks that are kept from others for a while against threads that go to sleep, or go on to
//! something else.
//!
//! [`Pool::announce`] stands for `Worker::announce_forks` of `verbs/fork.rs`,
//! [`Pool::see_to_sentinel`] for `tell` of `schedule.rs` with `News::to_watch`, [`Pool::idle`]
//! for `sleep` of `worker/ladder.rs` with `keep_beat` of `worker/watch.rs`, [`Pool::take_other`]
//! for a searcher that finds work, and `end_search` of `worker/life.rs`. Whether the forks are
//! hidden is the pool's own to tell, by a clock that strikes once. Forks that want help are those of
//! a long loop in a kept join; of a watched one somebody is told before the first is queued.

use super::check;
use crate::idle::sleep::{Sleep, Wake};
use crate::lanes::occupancy::Occupancy;
use crate::parker::Parker;
use crate::queue::hidden::Hidden;
use crate::sync::{Arc, AtomicBool, AtomicUsize, Instant, Ordering};
use heartbeat_record::Lane;
use loom::thread;
use std::time::Duration;

/// A pool with a thread from outside that forks.
struct Pool {
    sleep: Sleep,
    occupancy: Occupancy,
    forks: AtomicUsize,
    hidden: Hidden,
    /// Whether it is time to share them.
    is_time: AtomicBool,
}

impl Pool {
    fn new(threads: usize) -> Arc<Self> {
        let occupancy = Occupancy::new();
        occupancy.set_target(threads);
        Arc::new(Self {
            sleep: Sleep::default(),
            occupancy,
            forks: AtomicUsize::new(0),
            hidden: Hidden::new(),
            is_time: AtomicBool::new(false),
        })
    }

    fn shows_forks(&self) -> bool {
        self.hidden.is_over_after(|| {
            if self.is_time.load(Ordering::Relaxed) {
                Duration::MAX
            } else {
                Duration::ZERO
            }
        })
    }

    fn has_forks(&self) -> bool {
        self.forks.load(Ordering::Relaxed) > 0
    }

    fn has_hidden_forks(&self) -> bool {
        self.has_forks() && !self.shows_forks()
    }

    fn is_admissible(&self) -> bool {
        self.has_forks() && self.shows_forks() && self.occupancy.admits(Lane::Frame)
    }

    /// The thread from outside begins a join that hides its forks, and forks.
    fn fork(&self, helpers_wanted: bool) {
        self.occupancy.enter(Lane::Frame);
        self.hidden.hide(Instant::now() + Duration::from_secs(1));
        self.fork_again(helpers_wanted);
    }

    fn fork_again(&self, helpers_wanted: bool) {
        self.forks.fetch_add(1, Ordering::Relaxed);
        self.announce(helpers_wanted);
    }

    fn announce(&self, helpers_wanted: bool) {
        if self.shows_forks() {
            self.hidden.show();
            let wakes = if helpers_wanted {
                self.sleep.needs_searcher()
            } else {
                self.sleep.needs_watch()
            };
            if wakes && (self.occupancy.admits(Lane::Frame) || !self.sleep.finds_sentinel()) {
                let _ = self.sleep.wake_one(Wake::Anywhere);
            }
        } else if !helpers_wanted {
            self.see_to_sentinel();
        } else if self.sleep.needs_watch() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    fn see_to_sentinel(&self) {
        if self.sleep.needs_watch() && !self.sleep.finds_sentinel() {
            let _ = self.sleep.wake_one(Wake::Anywhere);
        }
    }

    /// A searcher that finds nothing, until it has a fork to take, or `watches`, called when it has
    /// a timer, says that it may stop. Gives its parker if it sleeps without one, and `stops_short`
    /// of that.
    fn idle(&self, watches: impl Fn() -> bool, stops_short: bool) -> Option<Arc<Parker>> {
        let parker = Arc::new(Parker::new());
        let is_quiet = || self.occupancy.is_quiet() && !self.is_admissible();
        while !self.is_admissible() {
            self.sleep.park_begin(&parker);
            if self.is_admissible() {
                self.sleep.park_cancel(&parker);
                continue;
            }
            let mut called = false;
            while !called && self.sleep.sentinel_begin() {
                loop {
                    called |= self.is_admissible();
                    if called || self.occupancy.is_quiet() {
                        break;
                    }
                    if watches() {
                        return None;
                    }
                    called = parker.has_token();
                    parker.drop_token();
                }
                self.sleep.sentinel_end();
                if !called && is_quiet() {
                    break;
                }
            }
            if !called {
                if stops_short {
                    return Some(parker);
                }
                parker.park();
            }
            self.sleep.park_cancel(&parker);
        }
        None
    }

    /// A searcher that finds a job, and runs it for good.
    fn take_other(&self, sees_to_forks: bool) {
        self.occupancy.enter(Lane::Frame);
        if !self.sleep.search_end() {
            return;
        }
        if self.is_admissible() {
            if self.sleep.needs_searcher() {
                let _ = self.sleep.wake_one(Wake::Anywhere);
            }
        } else if sees_to_forks && self.has_hidden_forks() {
            self.see_to_sentinel();
        }
    }
}

/// A thread that forks, a worker that may be anywhere before its sleep: it keeps a timer as long as
/// there are hidden forks.
fn fork_and_sleep(helpers_wanted: bool) {
    let pool = Pool::new(2);
    pool.sleep.search_begin();
    let idle = {
        let pool = pool.clone();
        thread::spawn(move || pool.idle(|| true, false))
    };
    pool.fork(helpers_wanted);
    idle.join().unwrap();
}

#[test]
fn a_hidden_fork_has_a_sentinel() {
    check(5, || fork_and_sleep(false));
}

#[test]
fn a_hidden_fork_that_wants_help_has_one_who_looks() {
    check(5, || fork_and_sleep(true));
}

/// The time comes at some moment, the thread forks once more: the worker has shared work to do,
/// whether it found it by its timer or was told.
#[test]
fn a_hidden_fork_is_shared_when_its_time_comes() {
    check(2, || {
        let pool = Pool::new(2);
        pool.sleep.search_begin();
        let idle = {
            let pool = pool.clone();
            let watches = || {
                thread::yield_now();
                false
            };
            thread::spawn(move || pool.idle(watches, false))
        };
        let clock = {
            let pool = pool.clone();
            thread::spawn(move || pool.is_time.store(true, Ordering::Relaxed))
        };
        pool.fork(false);
        pool.fork_again(false);
        idle.join().unwrap();
        clock.join().unwrap();
    });
}

/// A searcher, on which the thread that forks may rely, finds another job. A second worker may be
/// anywhere before its sleep, or stops short of it, for loom can't unwind out of a deadlock.
fn fork_beside_a_job(sees_to_forks: bool, stops_short: bool) {
    let pool = Pool::new(3);
    pool.sleep.search_begin();
    pool.sleep.search_begin();
    let idle = {
        let pool = pool.clone();
        thread::spawn(move || pool.idle(|| true, stops_short))
    };
    let searcher = {
        let pool = pool.clone();
        thread::spawn(move || pool.take_other(sees_to_forks))
    };
    pool.fork(false);
    searcher.join().unwrap();
    let asleep = idle.join().unwrap();
    assert!(
        asleep.is_none_or(|parker| parker.has_token()),
        "nobody looks"
    );
}

#[test]
fn a_hidden_fork_is_not_left_to_a_searcher_that_finds_a_job() {
    check(3, || fork_beside_a_job(true, false));
}

/// A searcher that finds a job and looks for shared work alone leaves the fork to nobody; loom must
/// find that.
#[test]
#[should_panic(expected = "nobody looks")]
fn a_searcher_that_finds_a_job_and_sees_no_hidden_fork_leaves_it() {
    check(3, || fork_beside_a_job(false, true));
}
