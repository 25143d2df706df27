//! A panic at every point where user code runs: it reaches its owner, and the pool goes on.

mod common;

use common::{SIZES, wait_until, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, ThreadPool, Worker};
use std::future::{Future, poll_fn};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::thread;
use std::time::Duration;

/// A pool, and how many panics its handler has seen.
fn pool(threads: usize) -> (ThreadPool, Arc<AtomicUsize>) {
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = seen.clone();
    let pool = ThreadPool::builder()
        .num_threads(threads)
        .beat(Duration::from_micros(20))
        .panic_handler(move |_| _ = counted.fetch_add(1, Ordering::SeqCst))
        .build()
        .unwrap();
    (pool, seen)
}

fn panics<R>(f: impl FnOnce() -> R) -> bool {
    catch_unwind(AssertUnwindSafe(f)).is_err()
}

/// The pool still does all that it should.
fn check(pool: &ThreadPool) {
    assert_eq!(pool.join(|| 1, || 2), (1, 2));
    let count = AtomicUsize::new(0);
    pool.scope(|scope| {
        for _ in 0..10 {
            scope.spawn(|| _ = count.fetch_add(1, Ordering::Relaxed));
        }
    });
    assert_eq!(count.into_inner(), 10);
    for lane in Lane::ALL {
        assert_eq!(pool.block_on(pool.spawn_future(lane, async { 1 })), 1);
    }
    let threads = pool.num_threads().max(1);
    assert_eq!(pool.broadcast(|_| ()).len(), threads);
}

/// Panics when dropped, once armed.
struct Bomb(bool);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 && !thread::panicking() {
            self.0 = false;
            panic!("a planned panic, in a drop");
        }
    }
}

async fn pending_once() {
    heartbeat_pool::yield_task().await;
}

#[test]
fn in_a_join() {
    within_a_minute(|| {
        for threads in SIZES {
            let (pool, _) = pool(threads);
            for late in [false, true] {
                let pause = || thread::sleep(Duration::from_micros(if late { 200 } else { 0 }));
                assert!(panics(|| pool.join(|| panic!("a"), pause)));
                assert!(panics(|| pool.join(pause, || panic!("b"))));
                assert!(panics(
                    || pool.join(pause, || pool.join(pause, || panic!("deep")))
                ));
            }
            // A result of one half, dropped because the other failed, may fail as well.
            assert!(panics(|| pool.join(|| Bomb(false), || panic!("b"))));
            check(&pool);
        }
    });
}

#[test]
fn in_a_fold() {
    /// A state or a result, counted while it is there.
    struct Counted<'a>(&'a AtomicUsize);
    impl<'a> Counted<'a> {
        fn new(alive: &'a AtomicUsize) -> Self {
            alive.fetch_add(1, Ordering::SeqCst);
            Self(alive)
        }
    }
    impl Drop for Counted<'_> {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    within_a_minute(|| {
        for threads in SIZES {
            let (pool, _) = pool(threads);
            for place in ["init", "fold", "finish", "combine"] {
                for at in [0, 1, 40, 99] {
                    let alive = AtomicUsize::new(0);
                    let calls = AtomicUsize::new(0);
                    let fail = |here: &str| {
                        let first = here != "fold" || calls.fetch_add(1, Ordering::SeqCst) == at;
                        if here == place && first {
                            std::panic::resume_unwind(Box::new(at));
                        }
                    };
                    let result = catch_unwind(AssertUnwindSafe(|| {
                        pool.fold_pieces(
                            0..100,
                            || {
                                fail("init");
                                Counted::new(&alive)
                            },
                            |_, piece| {
                                for _ in piece {
                                    thread::sleep(Duration::from_micros(5));
                                    fail("fold");
                                }
                            },
                            |state| {
                                fail("finish");
                                drop(state);
                                Counted::new(&alive)
                            },
                            |left, _| {
                                fail("combine");
                                left
                            },
                        )
                    }));
                    match result {
                        Err(payload) => assert_eq!(payload.downcast_ref(), Some(&at)),
                        // Nothing to combine where nobody shared.
                        Ok(all) => {
                            drop(all);
                            assert_eq!(place, "combine");
                        }
                    }
                    assert_eq!(
                        alive.load(Ordering::SeqCst),
                        0,
                        "{place} {at}, {threads} threads"
                    );
                }
            }
            check(&pool);
        }
    });
}

#[test]
fn in_a_scope() {
    within_a_minute(|| {
        for threads in SIZES {
            let (pool, _) = pool(threads);
            assert!(panics(|| pool.scope(|_| panic!("body"))));
            assert!(panics(|| pool.scope(|scope| {
                scope.spawn(|| ());
                scope.spawn_future(pending_once()).detach();
                panic!("body")
            })));
            assert!(panics(
                || pool.scope(|scope| scope.spawn(|| panic!("closure")))
            ));
            assert!(panics(|| pool.scope(|scope| {
                let bomb = Bomb(true);
                scope.spawn(move || drop(bomb));
            })));
            assert!(panics(|| pool.scope(|scope| {
                let future = async {
                    pending_once().await;
                    panic!("future")
                };
                scope.spawn_future(future).detach();
            })));
            // A future that is dropped with a bomb inside, by its end or by cancellation.
            assert!(panics(|| pool.scope(|scope| {
                let bomb = Bomb(true);
                let future = async move {
                    let _bomb = bomb;
                    pending_once().await;
                };
                scope.spawn_future(future).detach();
            })));
            assert!(panics(|| pool.scope(|scope| {
                let bomb = Bomb(true);
                drop(scope.spawn_future(async move {
                    let _bomb = bomb;
                    std::future::pending::<()>().await;
                }));
            })));
            if threads > 0 {
                assert!(panics(|| pool.scope(|scope| {
                    scope.try_spawn_on(threads - 1, || panic!("pinned"));
                })));
                assert!(panics(|| pool.broadcast(|_| panic!("broadcast"))));
            }
            check(&pool);
        }
    });
}

#[test]
fn in_spawned_work() {
    within_a_minute(|| {
        for threads in SIZES {
            let (pool, seen) = pool(threads);
            let expect = |count: usize| {
                wait_until(|| {
                    if threads == 0 {
                        pool.tick();
                    }
                    seen.load(Ordering::SeqCst) == count
                });
                seen.store(0, Ordering::SeqCst);
            };
            for lane in Lane::ALL {
                pool.spawn(lane, || panic!("closure"));
                let bomb = Bomb(true);
                pool.spawn(lane, move || drop(bomb));
                pool.spawn_future(lane, async { panic!("at once") })
                    .detach();
                pool.spawn_future(lane, async {
                    pending_once().await;
                    panic!("later")
                })
                .detach();
                let fails = || -> std::future::Ready<()> { panic!("before the future") };
                pool.spawn_future(lane, async move { fails().await })
                    .detach();
            }
            expect(15);
            pool.spawn_blocking(|| panic!("blocking")).detach();
            expect(1);
            if threads > 0 {
                pool.spawn_on(0, || panic!("pinned"));
                expect(1);
            }
            // An awaiter gets the payload.
            let task = pool.spawn_future(Lane::Io, async { panic!("awaited") });
            assert!(panics(|| pool.block_on(task)));
            let task = pool.spawn_blocking(|| panic!("awaited"));
            assert!(panics(|| pool.block_on(task)));
            check(&pool);
        }
    });
}

#[test]
fn in_a_mailbox() {
    within_a_minute(|| {
        let (pool, seen) = pool(2);
        let mailbox = Arc::new(Mailbox::new());
        let task = mailbox.spawn(async { panic!("by its owner") });
        assert!(mailbox.try_tick());
        assert!(panics(|| pool.block_on(task)));
        let task = mailbox.spawn(async { panic!("in a wait") });
        pool.scope_with_mailboxes(&[&mailbox], |scope| {
            scope.spawn_future_on(&mailbox, pending_once()).detach();
        });
        assert!(panics(|| pool.block_on(task)));
        assert!(panics(|| pool.scope_with_mailboxes(&[&mailbox], |scope| {
            let fails = async { panic!("the scope's") };
            scope.spawn_future_on(&mailbox, fails).detach();
        })));
        let fails =
            |_: &Worker| Mailbox::of_this_thread().spawn(async { panic!("a worker's own") });
        let task = pool.install(fails);
        assert!(panics(|| pool.block_on(task)));
        assert_eq!(seen.load(Ordering::SeqCst), 0);
        check(&pool);
    });
}

#[test]
fn in_handlers() {
    within_a_minute(|| {
        let pool = ThreadPool::builder()
            .num_threads(2)
            .thread_name(|_| panic!("name"))
            .start_handler(|_| panic!("start"))
            .exit_handler(|_| panic!("exit"))
            .panic_handler(|_| panic!("panic"))
            .build()
            .unwrap();
        pool.spawn(Lane::Frame, || panic!("closure"));
        check(&pool);
        pool.resize_to(4).unwrap();
        check(&pool);
        drop(pool);
        let refused = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(|_| panic!("spawn"))
            .build();
        assert!(refused.is_err());
    });
}

#[test]
fn as_a_handler_is_dropped_with_its_pool() {
    within_a_minute(|| {
        for threads in [0, 2] {
            let bomb = Bomb(true);
            let builder = ThreadPool::builder().num_threads(threads);
            let pool = builder.exit_handler(move |_| _ = &bomb).build();
            let pool = pool.unwrap();
            assert!(!panics(|| drop(pool)), "{threads} threads");
        }
    });
}

#[test]
fn while_a_task_is_cancelled() {
    within_a_minute(|| {
        for threads in SIZES {
            let (pool, _) = pool(threads);
            for _ in 0..20 {
                let bomb = Bomb(true);
                let task = pool.spawn_future(Lane::Io, async move {
                    let _bomb = bomb;
                    std::future::pending::<()>().await;
                });
                if threads > 0 {
                    thread::yield_now();
                }
                // Whoever drops the future meets the panic: this thread or a worker.
                let _ = panics(|| drop(task));
            }
            check(&pool);
        }
    });
}

/// Cancels a task of many awaits after each number of polls: what it holds is dropped, once.
#[test]
fn cancellation_at_every_await_drops_what_is_held() {
    const AWAITS: usize = 6;
    struct Held(Arc<AtomicUsize>);
    impl Drop for Held {
        fn drop(&mut self) {
            self.0.fetch_sub(1, Ordering::SeqCst);
        }
    }
    within_a_minute(|| {
        for threads in [1, 2, 8] {
            let (pool, _) = pool(threads);
            for scoped in [false, true] {
                for stop_after in 0..=AWAITS {
                    let live = Arc::new(AtomicUsize::new(0));
                    let polls = Arc::new(AtomicUsize::new(0));
                    let (waker_out, waker) = async_channel::bounded(1);
                    let future = {
                        let (live, polls) = (live.clone(), polls.clone());
                        async move {
                            for _ in 0..AWAITS {
                                live.fetch_add(1, Ordering::SeqCst);
                                let _held = Held(live.clone());
                                let mut first = true;
                                poll_fn(|context| {
                                    if !std::mem::take(&mut first) {
                                        return Poll::Ready(());
                                    }
                                    polls.fetch_add(1, Ordering::SeqCst);
                                    waker_out.try_send(context.waker().clone()).unwrap();
                                    Poll::Pending
                                })
                                .await;
                            }
                        }
                    };
                    let drive = |task: &dyn Fn() -> bool| {
                        for _ in 0..stop_after {
                            pool.block_on(waker.recv()).unwrap().wake();
                        }
                        let all = stop_after == AWAITS;
                        wait_until(|| !all || task());
                    };
                    if scoped {
                        pool.scope(|scope| {
                            let task = scope.spawn_future(future);
                            drive(&|| task.is_finished());
                            drop(task);
                        });
                        assert_eq!(live.load(Ordering::SeqCst), 0, "after {stop_after}");
                    } else {
                        let task = pool.spawn_future(Lane::Frame, future);
                        drive(&|| task.is_finished());
                        pool.block_on(cancel(task));
                        assert_eq!(live.load(Ordering::SeqCst), 0, "after {stop_after}");
                    }
                    assert!(polls.load(Ordering::SeqCst) <= stop_after + 1);
                }
            }
            check(&pool);
        }
    });
}

fn cancel(task: heartbeat_pool::Task<()>) -> impl Future {
    task.cancel()
}

/// A panic handler, and how often it was called.
fn counting() -> (
    Arc<AtomicUsize>,
    impl Fn(&(dyn std::any::Any + Send)) + Send + Sync,
) {
    let reported = Arc::new(AtomicUsize::new(0));
    let reports = reported.clone();
    (reported, move |_| {
        _ = reports.fetch_add(1, Ordering::Relaxed);
    })
}

/// It is counted off, and its panic is its scope's.
#[test]
fn as_a_scopes_job_for_a_thread_that_is_not_there_is_dropped() {
    within_a_minute(|| {
        let (pool, seen) = pool(1);
        let is_spawned = AtomicUsize::new(0);
        assert!(panics(|| pool.scope(|scope| {
            let bomb = Bomb(true);
            assert!(!scope.try_spawn_on(7, move || drop(bomb)));
            is_spawned.store(1, Ordering::Relaxed);
        })));
        assert_eq!(is_spawned.into_inner(), 1, "the scope goes on");
        assert_eq!(seen.load(Ordering::Relaxed), 0);
        check(&pool);
    });
}

/// Of what is queued when a pool ends, one panics as it is dropped.
#[test]
fn a_panic_in_the_drop_of_a_queued_job_keeps_no_other_alive() {
    within_a_minute(|| {
        let (reported, handler) = counting();
        let builder = ThreadPool::builder().num_threads(0).panic_handler(handler);
        let pool = builder.build().unwrap();
        let alive = Arc::new(());
        let queued = |lane| {
            let (bomb, alive) = (Bomb(true), alive.clone());
            pool.spawn(lane, move || drop((bomb, alive)));
        };
        Lane::ALL.into_iter().for_each(queued);
        let (bomb, kept) = (Bomb(true), alive.clone());
        pool.spawn_blocking(move || drop((bomb, kept))).detach();
        let task = pool.spawn_future(Lane::Frame, async {});
        drop(pool);
        assert_eq!(Arc::strong_count(&alive), 1);
        assert_eq!(reported.load(Ordering::Relaxed), 4);
        assert!(task.is_finished());
    });
}

#[test]
fn a_payload_whose_drops_panic_without_end_is_let_go() {
    struct Endless;
    impl Drop for Endless {
        fn drop(&mut self) {
            std::panic::panic_any(Self);
        }
    }
    within_a_minute(|| {
        let pool = ThreadPool::builder().num_threads(1).build().unwrap();
        pool.spawn(Lane::Frame, || std::panic::panic_any(Endless));
        assert_eq!(
            pool.block_on(pool.spawn_future(Lane::Frame, async { 3 })),
            3
        );
    });
}
