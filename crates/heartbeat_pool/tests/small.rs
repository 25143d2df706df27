//! Each verb once or twice: little enough for Miri, which must find nothing in the unsafe code.

mod common;

use common::within_a_minute;
use heartbeat_pool::{Lane, Mailbox, ThreadPool, yield_task};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn pool(threads: usize) -> ThreadPool {
    ThreadPool::builder()
        .num_threads(threads)
        .beat(Duration::from_micros(1))
        .build()
        .unwrap()
}

fn fib(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = heartbeat_pool::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

#[test]
fn joins_are_promoted_and_recovered() {
    within_a_minute(|| {
        let pool = pool(2);
        assert_eq!(pool.with_worker(|_| fib(9)), 34);
        let pause = || thread::sleep(Duration::from_millis(1));
        pool.join(pause, pause);
        let mut items = [1; 100];
        pool.for_each(&mut items, |item| *item += 1);
        assert_eq!(items, [2; 100]);
        let all = pool.fold_pieces(
            &items[..],
            Vec::new,
            |all, piece| all.extend(piece.iter().map(Box::new)),
            |all| all,
            |mut left, right| {
                left.extend(right);
                left
            },
        );
        assert_eq!(all.len(), 100);
        let failed = catch_unwind(AssertUnwindSafe(|| {
            pool.join(pause, || panic!("a planned panic"))
        }));
        assert!(failed.is_err());
    });
}

#[test]
fn scopes_lend_and_take_back() {
    within_a_minute(|| {
        for threads in [0, 2] {
            let pool = pool(threads);
            let mut cells = [0; 4];
            let sum = AtomicUsize::new(0);
            pool.scope(|scope| {
                for cell in &mut cells {
                    scope.spawn(|| *cell += 1);
                }
                let task = scope.spawn_future(async {
                    yield_task().await;
                    sum.fetch_add(1, Ordering::Relaxed)
                });
                scope
                    .spawn_future(async { assert_eq!(task.await, 0) })
                    .detach();
                drop(scope.spawn_future(std::future::pending::<()>()));
            });
            assert_eq!(cells, [1; 4]);
            assert_eq!(sum.into_inner(), 1);
            let failed = catch_unwind(AssertUnwindSafe(|| {
                pool.scope(|scope| {
                    scope.spawn(|| cells[0] += 1);
                    scope
                        .spawn_future(async { panic!("a planned panic") })
                        .detach();
                });
            }));
            assert!(failed.is_err());
            assert_eq!(cells[0], 2);
        }
    });
}

#[test]
fn installed_calls_borrow_and_give_back() {
    within_a_minute(|| {
        for threads in [0, 1, 2] {
            let pool = pool(threads);
            let mut text = String::from("a");
            let length = pool.install(|_| {
                text += "b";
                Box::new(text.len())
            });
            assert_eq!((text.as_str(), *length), ("ab", 2));
            let failed = catch_unwind(AssertUnwindSafe(|| {
                pool.install(|_| {
                    text += "c";
                    panic!("a planned panic")
                })
            }));
            assert!(failed.is_err());
            assert_eq!(text, "abc");
        }
    });
}

#[test]
fn tasks_end_are_cancelled_or_go_down_with_the_pool() {
    within_a_minute(|| {
        for threads in [0, 1, 2] {
            let pool = pool(threads);
            for lane in Lane::ALL {
                let task = pool.spawn_future(lane, async {
                    yield_task().await;
                    5
                });
                assert_eq!(pool.block_on(task), 5);
                drop(pool.spawn_future(lane, std::future::pending::<()>()));
                pool.spawn_future(lane, std::future::pending::<()>())
                    .detach();
                pool.spawn(lane, || ());
            }
            assert_eq!(pool.block_on(pool.spawn_blocking(|| 6)), 6);
            assert_eq!(
                pool.broadcast(|context| context.index()).len(),
                threads.max(1)
            );
        }
    });
}

#[test]
fn mailboxes_run_at_home() {
    within_a_minute(|| {
        let pool = pool(1);
        let mailbox = Arc::new(Mailbox::new());
        let home = thread::current().id();
        pool.scope_with_mailboxes(&[&mailbox], |scope| {
            let here = async move { assert_eq!(thread::current().id(), home) };
            scope.spawn_future_on(&mailbox, here).detach();
        });
        let task = mailbox.spawn_local(async { 1 });
        while mailbox.try_tick() {}
        assert_eq!(pool.block_on(task), 1);
    });
}
