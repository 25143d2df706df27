//! What goes wrong seldom, tried often, each with a deadline.

mod common;

use common::{SIZES, pool, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn spawn_and_block_on_from_outside_never_hangs() {
    within_a_minute(|| {
        for threads in [1, 2] {
            let pool = pool(threads);
            let end = Instant::now() + Duration::from_secs(3);
            while Instant::now() < end {
                assert_eq!(
                    pool.block_on(pool.spawn_future(Lane::Frame, async { 1 })),
                    1
                );
            }
        }
    });
}

#[test]
fn many_short_lived_threads_enter_at_once() {
    within_a_minute(|| {
        let pool = Arc::new(pool(2));
        let count = Arc::new(AtomicUsize::new(0));
        let threads: Vec<_> = (0..300)
            .map(|_| {
                let (pool, count) = (pool.clone(), count.clone());
                thread::spawn(move || {
                    pool.scope(|scope| {
                        for _ in 0..10 {
                            scope.spawn(|| _ = count.fetch_add(1, Ordering::Relaxed));
                        }
                    });
                    pool.block_on(pool.spawn_future(Lane::Io, async {}));
                })
            })
            .collect();
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!(count.load(Ordering::Relaxed), 3000);
    });
}

#[test]
fn nested_scopes_need_only_their_own_depth_of_stack() {
    within_a_minute(|| {
        let pool = ThreadPool::builder()
            .num_threads(2)
            .stack_size(256 << 10)
            .build()
            .unwrap();
        let pool = &pool;
        let count = AtomicUsize::new(0);
        let count = &count;
        pool.scope(|scope| {
            for _ in 0..2_000 {
                scope.spawn(move || {
                    pool.scope(|inner| {
                        for _ in 0..10 {
                            inner.spawn(move || {
                                count.fetch_add(1, Ordering::Relaxed);
                            });
                        }
                    });
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 20_000);
    });
}

#[test]
fn resizing_under_load_loses_nothing() {
    within_a_minute(|| {
        let pool = Arc::new(pool(2));
        let resizer = {
            let pool = pool.clone();
            thread::spawn(move || {
                for round in 0..200 {
                    pool.resize_to([1, 4, 2, 8, 3][round % 5]).unwrap();
                    thread::sleep(Duration::from_micros(500));
                }
            })
        };
        let count = AtomicUsize::new(0);
        let mut rounds = 0;
        while !resizer.is_finished() {
            rounds += 1;
            pool.scope(|scope| {
                for _ in 0..20 {
                    scope.spawn(|| _ = count.fetch_add(1, Ordering::Relaxed));
                }
            });
            pool.block_on(pool.spawn_future(Lane::Background, async {}));
        }
        resizer.join().unwrap();
        assert_eq!(count.load(Ordering::Relaxed), rounds * 20);
    });
}

#[test]
fn joins_scopes_and_tasks_mix_with_panics() {
    fn work(pool: &ThreadPool, depth: u32, seed: u32) -> u64 {
        if depth == 0 {
            assert!(!seed.is_multiple_of(97), "a planned panic");
            return u64::from(seed % 7);
        }
        let next = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        if next >> 30 == 0 {
            let sum = AtomicUsize::new(0);
            pool.scope(|scope| {
                for i in 0..3 {
                    let sum = &sum;
                    scope.spawn(move || {
                        let part = work(pool, depth - 1, next ^ i) as usize;
                        sum.fetch_add(part, Ordering::Relaxed);
                    });
                }
            });
            return sum.into_inner() as u64;
        }
        let (a, b) = heartbeat_pool::join(
            || work(pool, depth - 1, next ^ 1),
            || work(pool, depth - 1, next ^ 2),
        );
        a + b
    }
    within_a_minute(|| {
        for threads in SIZES {
            let pool = ThreadPool::builder()
                .num_threads(threads)
                .beat(Duration::from_micros(5))
                .build()
                .unwrap();
            let mut outcomes = [0; 2];
            for seed in 0..60 {
                let result = catch_unwind(AssertUnwindSafe(|| {
                    pool.with_worker(|_| work(&pool, 6, seed * 31 + 5))
                }));
                outcomes[usize::from(result.is_ok())] += 1;
            }
            assert!(outcomes[0] > 0 && outcomes[1] > 0, "{outcomes:?}");
        }
    });
}

#[test]
fn wakers_may_outlive_their_pool() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let (sender, receiver) = async_channel::bounded::<()>(1);
            let task = pool.spawn_future(Lane::Io, async move {
                let _ = receiver.recv().await;
            });
            if threads > 0 {
                thread::sleep(Duration::from_millis(2));
            }
            task.detach();
            drop(pool);
            let _ = sender.try_send(());
        }
    });
}
