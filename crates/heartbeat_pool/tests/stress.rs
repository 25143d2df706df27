//! What goes wrong seldom, tried often, each with a deadline.

mod common;

use common::{SIZES, pool, within, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// For a minute with `HEARTBEAT_STRESS_SECONDS=60`.
#[test]
fn spawn_and_block_on_from_outside_never_hangs() {
    let seconds = std::env::var("HEARTBEAT_STRESS_SECONDS");
    let seconds: u64 = seconds.map_or(3, |seconds| seconds.parse().unwrap());
    within(Duration::from_secs(2 * seconds + 60), move || {
        for threads in [1, 2] {
            let pool = pool(threads);
            let end = Instant::now() + Duration::from_secs(seconds);
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
        let threads: Vec<_> = (0..1_000)
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
        assert_eq!(count.load(Ordering::Relaxed), 10_000);
    });
}

/// bevy#21954, rayon#854: a wait that runs strangers' work grows the stack with the queue.
#[test]
fn a_million_nested_scope_tasks_fit_a_stack_of_two_mebibytes() {
    within_a_minute(|| {
        let pool = ThreadPool::builder()
            .num_threads(2)
            .stack_size(2 << 20)
            .build()
            .unwrap();
        let pool = &pool;
        let count = AtomicUsize::new(0);
        let count = &count;
        // A frame of the test's own, so that few nested waits would overflow it.
        let run = || {
            pool.scope(|scope| {
                for _ in 0..100_000 {
                    scope.spawn(move || {
                        let ballast = std::hint::black_box([0_u8; 4 << 10]);
                        pool.scope(|inner| {
                            for _ in 0..9 {
                                inner.spawn(move || _ = count.fetch_add(1, Ordering::Relaxed));
                            }
                        });
                        count.fetch_add(1 + usize::from(ballast[0]), Ordering::Relaxed);
                    });
                }
            });
        };
        let small = thread::Builder::new().stack_size(2 << 20);
        thread::scope(|threads| _ = small.spawn_scoped(threads, run).unwrap().join());
        assert_eq!(count.load(Ordering::Relaxed), 1_000_000);
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
                    match round % 7 {
                        0 => pool.resize_to(0).unwrap(),
                        1 => pool.resize_to(2).unwrap(),
                        2 => pool.resize_to(5).unwrap(),
                        3 => pool.resize_to(4).unwrap(),
                        other => pool.resize_to([8, 1, 3][other % 3]).unwrap(),
                    }
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
