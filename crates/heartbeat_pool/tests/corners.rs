//! Sequences that a careful reader found: each once hung, leaked or broke a promise.

mod common;

use common::{pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, Order, ThreadPool, Worker, Yield, yield_task};
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

struct DropsWithAPanic;

impl Drop for DropsWithAPanic {
    fn drop(&mut self) {
        if !thread::panicking() {
            panic!("a payload's own");
        }
    }
}

#[test]
fn payloads_that_panic_when_dropped_end_no_scope_early() {
    within_a_minute(|| {
        for threads in [0, 1, 2, 8] {
            let pool = pool(threads);
            let ran = AtomicUsize::new(0);
            let result = catch_unwind(AssertUnwindSafe(|| {
                pool.scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|| panic_any(DropsWithAPanic));
                    }
                    for _ in 0..4 {
                        scope.spawn(|| _ = ran.fetch_add(1, Ordering::Relaxed));
                    }
                });
            }));
            let _ = catch_unwind(AssertUnwindSafe(|| drop(result)));
            assert_eq!(ran.load(Ordering::Relaxed), 4);
            for lane in Lane::ALL {
                pool.spawn(lane, || panic_any(DropsWithAPanic));
                let payload = catch_unwind(AssertUnwindSafe(|| {
                    pool.block_on(pool.spawn_future(lane, async { panic_any(DropsWithAPanic) }))
                }));
                let _ = catch_unwind(AssertUnwindSafe(|| drop(payload)));
                assert_eq!(pool.block_on(pool.spawn_future(lane, async { 1 })), 1);
            }
        }
    });
}

/// Also where others, here the scope itself, have run all that a ticket in the thread's deque
/// stands for.
#[test]
fn what_a_thread_has_spawned_comes_to_an_end() {
    within_a_minute(|| {
        pool(1).install(|worker| {
            let ran = AtomicUsize::new(0);
            worker.scope(|scope| {
                (0..10).for_each(|_| scope.spawn(|| _ = ran.fetch_add(1, Ordering::Relaxed)));
                assert!(worker.has_own_work());
                assert_eq!(worker.yield_local(), Yield::Executed);
                assert_eq!(ran.load(Ordering::Relaxed), 1, "one piece at a time");
                while worker.has_own_work() {
                    assert_eq!(worker.yield_local(), Yield::Executed);
                }
                assert_eq!(ran.load(Ordering::Relaxed), 10);
            });
        });
    });
}

/// What a scope's job for one thread borrows is still there when that job is dropped unrun.
#[test]
fn a_pinned_job_that_never_runs_is_dropped_before_its_scope_ends() {
    struct Borrows<'a>(&'a AtomicBool);
    impl Drop for Borrows<'_> {
        fn drop(&mut self) {
            thread::sleep(Duration::from_millis(5));
            assert!(self.0.load(Ordering::SeqCst), "the scope had ended");
        }
    }
    within_a_minute(|| {
        let pool = Arc::new(pool(2));
        let (busy, is_busy) = mpsc::channel();
        let (ended, has_ended) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        pool.spawn_on(1, move || {
            busy.send(()).unwrap();
            may_go.recv().unwrap();
        });
        is_busy.recv().unwrap();
        let (spawned, is_spawned) = mpsc::channel();
        pool.spawn_on(0, move || {
            let alive = AtomicBool::new(true);
            heartbeat_pool::scope(|scope| {
                let borrows = Borrows(&alive);
                scope.try_spawn_on(1, move || drop(borrows));
                spawned.send(()).unwrap();
            });
            alive.store(false, Ordering::SeqCst);
            ended.send(()).unwrap();
        });
        is_spawned.recv().unwrap();
        let dropper = thread::spawn(move || drop(pool));
        thread::sleep(Duration::from_millis(20));
        go.send(()).unwrap();
        has_ended.recv().unwrap();
        dropper.join().unwrap();
    });
}

/// A frame task that never stops yielding is run briskly, and keeps nobody from the other lanes.
fn a_brisk_frame_starves_no_lane(pool: ThreadPool) {
    within_a_minute(move || {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = stop.clone();
        let busy = pool.spawn_future(Lane::Frame, async move {
            while !stopped.load(Ordering::Relaxed) {
                yield_task().await;
            }
        });
        for lane in [Lane::Io, Lane::Background] {
            let tasks: Vec<_> = (0..50).map(|_| pool.spawn_future(lane, async {})).collect();
            for task in tasks {
                pool.block_on(task);
            }
        }
        pool.block_on(pool.spawn_blocking(|| ()));
        // A member that waits for its own queued work.
        let member = pool.spawn_future(Lane::Frame, async {
            for _ in 0..50 {
                heartbeat_pool::block_on(heartbeat_pool::spawn_future(Lane::Frame, async {}));
            }
        });
        pool.block_on(member);
        stop.store(true, Ordering::Relaxed);
        pool.block_on(busy);
    });
}

#[test]
fn a_brisk_frame_starves_no_lane_of_any_pool() {
    for threads in [0, 1, 2, 4] {
        a_brisk_frame_starves_no_lane(pool(threads));
    }
    for threads in [1, 2] {
        let builder = ThreadPool::builder().num_threads(threads);
        a_brisk_frame_starves_no_lane(builder.spare_threads(false).build().unwrap());
    }
}

/// As above, by a thread that yields until an io task is over.
#[test]
fn who_yields_comes_to_each_lane() {
    for threads in [0, 1] {
        within_a_minute(move || {
            let builder = ThreadPool::builder().num_threads(threads);
            let pool = Arc::new(builder.spare_threads(threads == 0).build().unwrap());
            let inner = pool.clone();
            pool.install(move |worker| {
                let stop = Arc::new(AtomicBool::new(false));
                let stopped = stop.clone();
                let busy = heartbeat_pool::spawn_future(Lane::Frame, async move {
                    while !stopped.load(Ordering::Relaxed) {
                        yield_task().await;
                    }
                });
                let io = inner.spawn_future(Lane::Io, async {});
                while !io.is_finished() {
                    worker.yield_now();
                }
                stop.store(true, Ordering::Relaxed);
                inner.block_on(busy);
            });
        });
    }
}

/// Tasks that never stop yielding, one a lane, and calls that block, each of which makes the next.
#[test]
fn no_kind_of_endless_work_starves_another() {
    fn call_again(pool: &Arc<ThreadPool>, stop: &Arc<AtomicBool>) {
        // What is queued in a pool must not keep it.
        let (inner, stop) = (Arc::downgrade(pool), stop.clone());
        let call = move || {
            if let Some(pool) = inner.upgrade()
                && !stop.load(Ordering::Relaxed)
            {
                call_again(&pool, &stop);
            }
        };
        pool.spawn_blocking(call).detach();
    }
    for threads in [0, 1] {
        within_a_minute(move || {
            let builder = ThreadPool::builder().num_threads(threads);
            let pool = Arc::new(builder.spare_threads(threads == 0).build().unwrap());
            let stop = Arc::new(AtomicBool::new(false));
            let busy = Lane::ALL.map(|lane| {
                let stop = stop.clone();
                pool.spawn_future(lane, async move {
                    while !stop.load(Ordering::Relaxed) {
                        yield_task().await;
                    }
                })
            });
            call_again(&pool, &stop);
            for lane in Lane::ALL {
                pool.block_on(pool.spawn_future(lane, async {}));
            }
            pool.block_on(pool.spawn_blocking(|| ()));
            stop.store(true, Ordering::Relaxed);
            busy.into_iter().for_each(|task| pool.block_on(task));
        });
    }
}

/// Where a thread's newest comes before what only that thread may run, too.
#[test]
fn endless_work_of_its_own_keeps_no_thread_from_what_only_it_may_run() {
    for order in [Order::OldestFirst, Order::NewestFirst] {
        within_a_minute(move || {
            let builder = ThreadPool::builder().num_threads(2).order(order);
            let pool = builder.spare_threads(false).build().unwrap();
            let stop = Arc::new(AtomicBool::new(false));
            let busy = [(); 2].map(|()| {
                let stop = stop.clone();
                pool.spawn_future(Lane::Frame, async move {
                    while !stop.load(Ordering::Relaxed) {
                        yield_task().await;
                    }
                })
            });
            for _ in 0..3 {
                pool.broadcast(|_| ());
            }
            stop.store(true, Ordering::Relaxed);
            busy.into_iter().for_each(|task| pool.block_on(task));
        });
    }
}

/// What is waited for wakes itself until somebody has done what nobody else does.
#[test]
fn a_wait_for_endless_work_does_what_only_its_thread_does() {
    let flag = || {
        let flag = Arc::new(AtomicBool::new(false));
        (flag.clone(), move || flag.store(true, Ordering::Relaxed))
    };
    async fn until(flag: Arc<AtomicBool>) {
        while !flag.load(Ordering::Relaxed) {
            yield_task().await;
        }
    }
    within_a_minute(move || {
        let pool = pool(0);
        let (is_set, set) = flag();
        pool.spawn(Lane::Frame, set);
        pool.block_on(until(is_set));
        let (is_set, set) = flag();
        let mailbox = Mailbox::of_this_thread();
        pool.scope_with_mailboxes(&[&mailbox], |scope| {
            scope.spawn_future_on(&mailbox, until(is_set)).detach();
            scope.spawn(set);
        });
        let (is_set, set) = flag();
        common::pool(1).install(|worker| {
            worker.try_spawn_on(0, set);
            worker.block_on(until(is_set));
        });
    });
}

/// Waits on its thread, as that ends.
struct WaitsAtTheEnd(Arc<ThreadPool>);

impl Drop for WaitsAtTheEnd {
    fn drop(&mut self) {
        let pool = &self.0;
        let task = || pool.spawn_future(Lane::Frame, async {});
        pool.with_worker(|_| pool.install(|_| pool.block_on(task())));
    }
}

thread_local! {
    static LAST: RefCell<Option<WaitsAtTheEnd>> = const { RefCell::new(None) };
}

#[test]
fn a_wait_after_the_pools_own_thread_locals_are_gone_gives_its_seat_away() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(1);
        let pool = Arc::new(builder.spare_threads(false).build().unwrap());
        // It ends later: on Windows no thread does so while another drops its thread-locals.
        let used = pool.clone();
        let thread = thread::spawn(move || {
            // Those that are used first go last.
            LAST.set(Some(WaitsAtTheEnd(used.clone())));
            used.with_worker(|_| ());
        });
        thread.join().unwrap();
        drop(pool);
    });
}

/// Each of many tasks waits for what wakes itself often: no stack of all of them.
#[test]
fn waits_that_do_others_work_nest_no_deeper_than_a_few() {
    within_a_minute(|| {
        let pool = Arc::new(pool(0));
        for _ in 0..20_000 {
            let inner = pool.clone();
            pool.spawn(Lane::Frame, move || {
                inner.block_on(async {
                    for _ in 0..100 {
                        yield_task().await;
                    }
                });
            });
        }
        while pool.tick() {}
    });
}

#[test]
fn a_pool_ends_while_its_jobs_wait_for_queued_work() {
    within_a_minute(|| {
        for round in 0..50 {
            let pool = pool(1 + round % 3);
            let (ending, is_ending) = mpsc::channel::<()>();
            let done = Arc::new(AtomicBool::new(false));
            let seen = done.clone();
            pool.spawn(Lane::Frame, move || {
                let _ = is_ending.recv();
                thread::sleep(Duration::from_micros(200));
                let task = heartbeat_pool::spawn_future(Lane::Frame, async { 1 });
                // Run, or cancelled by the end: but over.
                let _ = catch_unwind(AssertUnwindSafe(|| heartbeat_pool::block_on(task)));
                seen.store(true, Ordering::SeqCst);
            });
            thread::sleep(Duration::from_micros(300));
            ending.send(()).unwrap();
            drop(pool);
            let _ = done;
        }
    });
}

#[test]
fn endless_work_for_one_thread_leaves_it_to_others_and_ends_with_the_pool() {
    within_a_minute(|| {
        let pool = pool(1);
        pool.spawn(Lane::Frame, || {
            Mailbox::of_this_thread()
                .spawn(async {
                    loop {
                        yield_task().await;
                    }
                })
                .detach();
        });
        for _ in 0..20 {
            assert_eq!(
                pool.block_on(pool.spawn_future(Lane::Frame, async { 1 })),
                1
            );
        }
        drop(pool);
    });
}

#[test]
fn a_visitors_spoils_end_with_the_pool() {
    within_a_minute(|| {
        let pool = pool(1);
        let token = Arc::new(());
        let held = token.clone();
        let (queued, is_queued) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        pool.spawn(Lane::Frame, move || {
            for _ in 0..40 {
                let held = held.clone();
                heartbeat_pool::spawn(Lane::Frame, move || drop(held));
            }
            queued.send(()).unwrap();
            may_go.recv().unwrap();
        });
        is_queued.recv().unwrap();
        pool.with_worker(Worker::yield_now);
        let ender = thread::spawn(move || drop(pool));
        go.send(()).unwrap();
        ender.join().unwrap();
        wait_until(|| Arc::strong_count(&token) == 1);
    });
}

#[test]
fn half_of_a_join_may_wait_for_the_other_without_threads() {
    within_a_minute(|| {
        for threads in [0, 1, 2] {
            let pool = pool(threads);
            let (sender, receiver) = async_channel::bounded(1);
            pool.join(
                || heartbeat_pool::block_on(receiver.recv()).unwrap(),
                || sender.try_send(()).unwrap(),
            );
        }
    });
}

#[test]
fn a_thread_that_waits_in_another_pool_still_does_what_only_it_can() {
    within_a_minute(|| {
        let first = Arc::new(pool(1));
        let second = Arc::new(pool(1));
        let inner = (first.clone(), second.clone());
        let task = first.spawn_future(Lane::Frame, async move {
            let (first, second) = inner;
            second.scope(|scope| {
                scope.try_spawn_on(0, move || assert_eq!(first.broadcast(|_| 1), [1]));
            });
        });
        first.block_on(task);
    });
}

#[test]
fn a_frame_budget_holds_while_its_jobs_are_long() {
    within_a_minute(|| {
        let pool = ThreadPool::builder()
            .num_threads(8)
            .budget(Lane::Frame, 1)
            .build()
            .unwrap();
        let running = AtomicUsize::new(0);
        let most = AtomicUsize::new(0);
        pool.scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(20));
                    running.fetch_sub(1, Ordering::SeqCst);
                });
            }
        });
        // Relief lets in few: it can't tell a long job from a blocked one, but doubles its doubts.
        let most = most.load(Ordering::SeqCst);
        assert!(most <= 4, "{most}");
    });
}

/// All threads are held by jobs that wait for a queued one in a way that the pool knows nothing of,
/// behind a lot of others. To let in one of these after the other, a few milliseconds apart, takes
/// more than the minute.
#[test]
fn a_long_queue_behind_blocked_jobs_is_emptied() {
    within_a_minute(|| {
        let pool = pool(2);
        let (sender, receiver) = mpsc::channel::<()>();
        let receiver = Arc::new(Mutex::new(receiver));
        let running = Arc::new(AtomicUsize::new(0));
        for _ in 0..2 {
            let (receiver, running) = (receiver.clone(), running.clone());
            pool.spawn(Lane::Frame, move || {
                running.fetch_add(1, Ordering::SeqCst);
                receiver.lock().unwrap().recv().unwrap();
            });
        }
        wait_until(|| running.load(Ordering::SeqCst) == 2);
        for _ in 0..30_000 {
            pool.spawn(Lane::Frame, || ());
        }
        let last = pool.spawn_future(Lane::Frame, async move {
            sender.send(()).unwrap();
            sender.send(()).unwrap();
        });
        pool.block_on(last);
    });
}

#[test]
fn a_pool_may_be_dropped_by_a_job_that_another_of_its_threads_waits_for() {
    within_a_minute(|| {
        let lanes = Lane::ALL
            .into_iter()
            .flat_map(|one| Lane::ALL.map(|other| (one, other)));
        for (waits, drops) in lanes {
            let builder = ThreadPool::builder().num_threads(2).lower_threads(true);
            let pool = Arc::new(builder.build().unwrap());
            let (own, (sender, receiver)) = (pool.clone(), mpsc::channel());
            pool.spawn(waits, move || {
                let task = own.clone().spawn_future(drops, async move {
                    while Arc::strong_count(&own) > 1 {
                        thread::yield_now();
                    }
                    drop(own);
                    7
                });
                sender.send(heartbeat_pool::block_on(task)).unwrap();
            });
            drop(pool);
            assert_eq!(receiver.recv(), Ok(7), "{waits:?} {drops:?}");
        }
    });
}

/// A thread that works for another lane runs no frame job where it yields.
#[test]
fn a_thread_has_own_work_as_long_as_it_may_run_some() {
    for (lane, order) in Lane::ALL
        .into_iter()
        .flat_map(|lane| [Order::OldestFirst, Order::NewestFirst].map(|order| (lane, order)))
    {
        within_a_minute(move || {
            let builder = ThreadPool::builder().num_threads(1).order(order);
            let pool = builder.spare_threads(false).build().unwrap();
            pool.block_on(pool.spawn_future(lane, async {
                let yields = |worker: &Worker| {
                    worker.spawn(Lane::Frame, || ());
                    while worker.has_own_work() {
                        assert_eq!(worker.yield_local(), Yield::Executed);
                    }
                };
                Worker::with_current(|worker| yields(worker.unwrap()));
            }));
        });
    }
}
