//! Joins whose second half others may take at once, those that are measured, and calls that are
//! installed.

mod common;

use common::{SIZES, pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, Worker, block_in_place};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn sum(worker: &Worker, range: std::ops::Range<u64>, measured: bool) -> u64 {
    if range.end - range.start <= 4 {
        return range.sum();
    }
    let middle = range.start + (range.end - range.start) / 2;
    let left = |worker: &Worker| sum(worker, range.start..middle, measured);
    let right = |worker: &Worker| sum(worker, middle..range.end, measured);
    let (left, right) = if measured {
        worker.join_measured(left, right)
    } else {
        worker.join_offered(left, right)
    };
    left + right
}

#[test]
fn the_halves_add_up_with_any_number_of_threads() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            for measured in [false, true] {
                for length in [0, 1, 5, 1000, 50_000] {
                    let total = pool.with_worker(|worker| sum(worker, 0..length, measured));
                    assert_eq!(total, (0..length).sum());
                }
            }
        }
    });
}

/// The first half never looks whether somebody wants the second.
#[test]
fn the_second_half_needs_no_poll_of_its_owner() {
    within_a_minute(|| {
        let pool = pool(2);
        for _ in 0..100 {
            let taken = AtomicBool::new(false);
            pool.with_worker(|worker| {
                let wait = || wait_until(|| taken.load(Ordering::Acquire));
                worker.join_offered(|_| wait(), |_| taken.store(true, Ordering::Release));
            });
        }
    });
}

/// What lies private around it is offered with it, and never later.
#[test]
fn an_offered_join_offers_those_around_it() {
    within_a_minute(|| {
        let pool = pool(3);
        for _ in 0..100 {
            let begun = AtomicUsize::new(0);
            let begin = || {
                begun.fetch_add(1, Ordering::AcqRel);
            };
            let wait = || wait_until(|| begun.load(Ordering::Acquire) == 2);
            pool.with_worker(|worker| {
                let inner = |worker: &Worker| worker.join_offered(|_| wait(), |_| begin());
                worker.join(inner, |_| begin());
            });
        }
    });
}

/// Both kinds inside of one another, in turn, each half with its own part of the result.
#[test]
fn joins_of_both_kinds_end_with_their_own_halves() {
    fn sum(worker: &Worker, range: std::ops::Range<u64>) -> u64 {
        if range.end - range.start <= 4 {
            return range.sum();
        }
        let middle = range.start + (range.end - range.start) / 3;
        let left = |worker: &Worker| sum(worker, range.start..middle);
        let right = |worker: &Worker| sum(worker, middle..range.end);
        let (left, right) = match range.end % 3 {
            0 => worker.join_offered(left, right),
            1 => worker.join_measured(left, right),
            _ => worker.join(left, right),
        };
        left + right
    }
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            for length in [5, 100, 1000, 100_000] {
                let total = pool.with_worker(|worker| sum(worker, 0..length));
                assert_eq!(total, (0..length).sum());
            }
        }
    });
}

/// Below other joins as well, however many, in whatever lane.
#[test]
fn the_second_half_can_be_taken_inside_of_other_joins() {
    fn descend(worker: &Worker, depth: usize, measured: bool, taken: &AtomicBool) {
        let wait = || wait_until(|| taken.load(Ordering::Acquire));
        let take = |_: &Worker| taken.store(true, Ordering::Release);
        let deeper = |worker: &Worker| descend(worker, depth - 1, measured, taken);
        match (depth, measured) {
            (0, false) => _ = worker.join_offered(|_| wait(), take),
            (0, true) => _ = worker.join_measured(|_| wait(), take),
            (_, false) => _ = worker.join_offered(deeper, |_| ()),
            (_, true) => _ = worker.join_measured(deeper, |_| ()),
        }
    }
    within_a_minute(|| {
        for threads in [2, 4] {
            let pool = pool(threads);
            for measured in [false, true] {
                for depth in [0, 1, 7, 8, 12, 40, 200] {
                    let taken = AtomicBool::new(false);
                    pool.with_worker(|worker| descend(worker, depth, measured, &taken));
                }
                for lane in Lane::ALL {
                    pool.block_on(pool.spawn_future(lane, async move {
                        Worker::with_current(|worker| {
                            descend(worker.unwrap(), 40, measured, &AtomicBool::new(false));
                        });
                    }));
                }
            }
        }
    });
}

/// Where their owner waits in the pool, or yields.
#[test]
fn all_second_halves_can_be_taken_while_their_owner_waits_or_yields() {
    fn descend(worker: &Worker, depth: usize, wait: &(impl Fn() + Sync), taken: &AtomicBool) {
        if depth == 0 {
            worker.join_offered(|_| wait(), |_| taken.store(true, Ordering::Release));
        } else {
            worker.join_offered(|worker| descend(worker, depth - 1, wait, taken), |_| ());
        }
    }
    fn check(wait: impl Fn(&AtomicBool) + Sync) {
        let pool = pool(2);
        for depth in [0, 7, 8, 20, 100] {
            let taken = AtomicBool::new(false);
            pool.with_worker(|worker| descend(worker, depth, &|| wait(&taken), &taken));
            // Where the thread counts as none of the pool's.
            let taken = AtomicBool::new(false);
            let inside = |worker: &Worker| descend(worker, depth, &|| wait(&taken), &taken);
            pool.with_worker(|worker| block_in_place(|| inside(worker)));
        }
    }
    within_a_minute(|| {
        check(|taken| block_in_place(|| wait_until(|| taken.load(Ordering::Acquire))));
        check(|taken| {
            while !taken.load(Ordering::Acquire) {
                Worker::with_current(|worker| worker.map(Worker::yield_local));
            }
        });
    });
}

#[test]
fn the_second_halves_of_a_deep_spine_are_shared_as_it_ends() {
    fn descend(worker: &Worker, depth: usize, leaf: &(impl Fn() + Sync)) {
        if depth > 0 {
            worker.join_offered(|worker| descend(worker, depth - 1, leaf), |_| leaf());
        }
    }
    const DEPTH: usize = 60;
    within_a_minute(|| {
        let pool = pool(2);
        // Unless the other thread gets no core meanwhile.
        let is_shared = || {
            let done = AtomicUsize::new(0);
            let by_others = AtomicUsize::new(0);
            let owner = thread::current().id();
            let leaf = || {
                thread::sleep(Duration::from_micros(20));
                done.fetch_add(1, Ordering::Relaxed);
                if thread::current().id() != owner {
                    by_others.fetch_add(1, Ordering::Relaxed);
                }
            };
            pool.with_worker(|worker| descend(worker, DEPTH, &leaf));
            assert_eq!(done.into_inner(), DEPTH);
            by_others.into_inner() > DEPTH / 4
        };
        wait_until(is_shared);
    });
}

#[test]
fn a_panic_in_either_half_comes_out_after_both() {
    within_a_minute(|| {
        for threads in [0, 1, 2, 8] {
            let pool = pool(threads);
            for (first, second) in [(true, false), (false, true), (true, true)] {
                let panics = |panics: bool, name: &'static str| {
                    thread::sleep(Duration::from_micros(50));
                    if panics {
                        std::panic::resume_unwind(Box::new(name));
                    }
                };
                let joined = catch_unwind(AssertUnwindSafe(|| {
                    pool.with_worker(|worker| {
                        worker
                            .join_offered(|_| panics(first, "first"), |_| panics(second, "second"))
                    })
                }));
                let payload = joined.unwrap_err();
                let expected = if first { "first" } else { "second" };
                assert_eq!(payload.downcast_ref(), Some(&expected));
                assert_eq!(pool.with_worker(|worker| sum(worker, 0..100, false)), 4950);
            }
        }
    });
}

#[test]
fn the_second_half_of_a_measured_join_runs_though_the_first_one_panics() {
    within_a_minute(|| {
        for threads in [0, 1, 2, 8] {
            let pool = pool(threads);
            let runs = AtomicUsize::new(0);
            for panics_too in [false, true].repeat(100) {
                let joined = catch_unwind(AssertUnwindSafe(|| {
                    pool.with_worker(|worker| {
                        let first = |_: &Worker| std::panic::resume_unwind(Box::new("first"));
                        worker.join_measured(first, |_| {
                            runs.fetch_add(1, Ordering::Relaxed);
                            if panics_too {
                                std::panic::resume_unwind(Box::new("second"));
                            }
                        })
                    })
                }));
                assert_eq!(joined.unwrap_err().downcast_ref(), Some(&"first"));
            }
            assert_eq!(runs.into_inner(), 200);
        }
    });
}

/// Short calls, of which some are long, of one kind: some are kept to one thread and some are not.
#[test]
fn measured_joins_are_right_however_they_are_made() {
    within_a_minute(|| {
        let pool = pool(3);
        let done = AtomicUsize::new(0);
        pool.with_worker(|worker| {
            for call in 0..3000 {
                let work = |_: &Worker| {
                    if call % 100 == 99 {
                        thread::sleep(Duration::from_micros(300));
                    }
                    done.fetch_add(1, Ordering::Relaxed);
                };
                worker.join_measured(work, work);
                assert_eq!(done.load(Ordering::Relaxed), 2 * (call + 1));
            }
        });
    });
}

#[test]
fn an_installed_call_runs_on_a_thread_of_the_pool() {
    within_a_minute(|| {
        let pool = pool(2);
        let mut borrowed = 0;
        let index = pool.install(|worker| {
            borrowed += 1;
            assert!(worker.is_member());
            // From there it stays.
            let own = thread::current().id();
            pool.install(|_| assert_eq!(thread::current().id(), own));
            worker.index()
        });
        // A spare one's, perhaps.
        assert!(index.is_some());
        assert_eq!(borrowed, 1);
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            pool.install(|_| std::panic::resume_unwind(Box::new(7)))
        }));
        assert_eq!(panicked.unwrap_err().downcast_ref(), Some(&7));
        thread::scope(|scope| {
            for caller in 0..50 {
                let pool = &pool;
                scope.spawn(move || assert_eq!(pool.install(move |_| caller), caller));
            }
        });
    });
}

#[test]
fn no_two_running_threads_have_one_slot() {
    within_a_minute(|| {
        let pool = pool(3);
        let taken = [const { AtomicBool::new(false) }; 3];
        let hold = |worker: &Worker| {
            let Some(slot) = worker.slot() else { return };
            assert!(!taken[slot].swap(true, Ordering::AcqRel), "slot {slot}");
            thread::sleep(Duration::from_micros(100));
            assert_eq!(worker.slot(), Some(slot), "it is kept");
            taken[slot].store(false, Ordering::Release);
        };
        thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| {
                    for _ in 0..50 {
                        pool.with_worker(|worker| {
                            hold(worker);
                            worker.scope(|scope| {
                                scope.spawn(|| {
                                    Worker::with_current(|worker| worker.map_or((), hold));
                                });
                            });
                            hold(worker);
                        });
                    }
                });
            }
        });
    });
}

/// Calls of one kind that are kept, until one waits for what it has forked.
#[test]
fn what_is_kept_is_offered_in_the_end() {
    within_a_minute(|| {
        let pool = pool(2);
        let taken = AtomicUsize::new(0);
        let call = |expected: Option<usize>| {
            let wait = || match expected {
                Some(expected) => wait_until(|| taken.load(Ordering::Acquire) == expected),
                None => thread::sleep(Duration::from_micros(20)),
            };
            let take = || _ = taken.fetch_add(1, Ordering::AcqRel);
            pool.with_worker(|worker| worker.join_measured(|_| wait(), |_| take()));
        };
        for round in 0..40 {
            // The pool falls asleep.
            thread::sleep(Duration::from_millis(2 * (round % 3)));
            let before = taken.load(Ordering::Relaxed);
            call((round % 4 == 3).then_some(before + 1));
        }
    });
}
