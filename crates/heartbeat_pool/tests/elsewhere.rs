//! Scopes whose owner only waits: what they spawn runs on the pool's threads, and nowhere else.

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, Order, Scope, ThreadPool, Yield, yield_now};
use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, mpsc};
use std::thread::{self, ThreadId};

const ORDERS: [Order; 2] = [Order::OldestFirst, Order::NewestFirst];

/// Spawns jobs that spawn more, `depth` deep, each of which notes its thread.
fn tree<'scope>(scope: &'scope Scope<'scope, '_>, depth: u32, notes: &'scope Notes) {
    notes.jobs.fetch_add(1, Relaxed);
    notes.threads.lock().unwrap().insert(thread::current().id());
    if depth > 0 {
        for _ in 0..3 {
            scope.spawn(move || tree(scope, depth - 1, notes));
        }
    }
}

#[derive(Default)]
struct Notes {
    threads: Mutex<HashSet<ThreadId>>,
    jobs: AtomicUsize,
}

/// The threads of a tree of jobs.
fn threads_of(pool: &ThreadPool, order: Order) -> HashSet<ThreadId> {
    let notes = Notes::default();
    pool.scope_elsewhere(order, |scope| scope.spawn(|| tree(scope, 4, &notes)));
    assert_eq!(notes.jobs.into_inner(), 1 + 3 + 9 + 27 + 81);
    notes.threads.into_inner().unwrap()
}

#[test]
fn the_caller_runs_none_of_it() {
    within_a_minute(|| {
        for order in ORDERS {
            for threads in [1, 2, 4] {
                let pool = pool(threads);
                for _ in 0..50 {
                    let ran_on = threads_of(&pool, order);
                    assert!(!ran_on.contains(&thread::current().id()));
                }
            }
        }
    });
}

#[test]
fn short_scopes_all_end() {
    within_a_minute(|| {
        let pool = pool(2);
        let sum = AtomicUsize::new(0);
        for i in 0..3000 {
            pool.scope_elsewhere(ORDERS[i % 2], |scope| {
                let add = || _ = sum.fetch_add(1, Relaxed);
                (0..i % 3).for_each(|_| scope.spawn(add));
                scope.spawn(move || scope.spawn(add));
            });
        }
        assert_eq!(sum.into_inner(), 3000 + 3000);
    });
}

#[test]
fn without_threads_the_caller_does_it() {
    within_a_minute(|| {
        for order in ORDERS {
            let ran_on = threads_of(&pool(0), order);
            assert_eq!(ran_on, HashSet::from([thread::current().id()]));
        }
    });
}

#[test]
fn a_thread_of_the_pool_may_wait_as_well() {
    within_a_minute(|| {
        for spares in [true, false] {
            let builder = ThreadPool::builder().num_threads(1).spare_threads(spares);
            let pool = builder.build().unwrap();
            let ran_on = pool.install(|_| threads_of(&pool, Order::NewestFirst));
            assert_eq!(ran_on.len(), 1);
        }
    });
}

#[test]
fn two_pools_may_wait_for_each_other() {
    within_a_minute(|| {
        let (one, other) = (pool(1), pool(1));
        let ran = AtomicUsize::new(0);
        one.scope_elsewhere(Order::OldestFirst, |scope| {
            scope.spawn(|| {
                other.scope_elsewhere(Order::NewestFirst, |inner| {
                    inner.spawn(|| {
                        let more = || _ = ran.fetch_add(1, Relaxed);
                        one.scope_elsewhere(Order::OldestFirst, |scope| scope.spawn(more));
                    });
                });
            });
        });
        assert_eq!(ran.into_inner(), 1);
    });
}

#[test]
fn the_first_panic_comes_out_when_all_is_over() {
    within_a_minute(|| {
        let pool = pool(2);
        let message = |f: &dyn Fn()| {
            let payload = catch_unwind(AssertUnwindSafe(f)).unwrap_err();
            *payload.downcast::<&str>().unwrap()
        };
        let ran = AtomicUsize::new(0);
        let scope = |own: bool| {
            pool.scope_elsewhere(Order::NewestFirst, |scope| {
                scope.spawn(|| panic!("a job"));
                scope.spawn(|| _ = ran.fetch_add(1, Relaxed));
                assert!(!own, "its own");
            });
        };
        assert_eq!(message(&|| scope(false)), "a job");
        assert_eq!(message(&|| scope(true)), "its own");
        assert_eq!(ran.into_inner(), 2);
    });
}

#[test]
fn futures_and_pinned_jobs_are_waited_for() {
    within_a_minute(|| {
        for order in ORDERS {
            let pool = pool(2);
            let ran = AtomicUsize::new(0);
            pool.scope_elsewhere(order, |scope| {
                let task = async {
                    heartbeat_pool::yield_task().await;
                    ran.fetch_add(1, Relaxed);
                };
                scope.spawn_future(task).detach();
                for index in 0..scope.num_threads() {
                    scope.try_spawn_on(index, || _ = ran.fetch_add(1, Relaxed));
                }
            });
            assert_eq!(ran.into_inner(), 3);
        }
    });
}

/// Two pools of one thread each: that of the second waits in the first for a broadcast there, whose
/// own thread waits for the second's scope. A job of that scope waits for one of the first pool's,
/// which its thread must come to see that nobody else could run.
#[test]
fn who_waits_in_another_pool_counts_there_no_more_while_it_works_for_its_own() {
    within_a_minute(|| {
        let pool = || {
            let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
            builder.build().unwrap()
        };
        for _ in 0..30 {
            let (first, second) = (pool(), pool());
            let ask = || {
                let (answer, answers) = mpsc::channel();
                first.spawn(Lane::Frame, move || answer.send(()).unwrap());
                while answers.try_recv().is_err() {
                    if yield_now() != Yield::Executed {
                        thread::yield_now();
                    }
                }
            };
            first.install(|_| {
                second.scope_elsewhere(Order::NewestFirst, |scope| {
                    scope.spawn(|| _ = first.broadcast(|_| ()));
                    scope.spawn(ask);
                });
            });
        }
    });
}
