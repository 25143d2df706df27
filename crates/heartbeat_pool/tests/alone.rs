//! Pools without spare threads, and threads that were there before their pool.

mod common;

use common::{wait_until, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool, Worker};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

fn lone(threads: usize) -> ThreadPool {
    let builder = ThreadPool::builder()
        .num_threads(threads)
        .spare_threads(false);
    builder.build().unwrap()
}

/// Each waits for the next, which is one of two by turns.
fn to_and_fro(pools: &[ThreadPool; 2], depth: usize, pause: Duration) -> usize {
    thread::sleep(pause);
    if depth == 0 {
        return 0;
    }
    let next = || to_and_fro(pools, depth - 1, pause);
    pools[depth % 2].install(|_| next()) + 1
}

#[test]
fn pools_that_wait_for_each_other_go_on() {
    within_a_minute(|| {
        for threads in [1, 2, 3] {
            let pools = [lone(threads), lone(threads)];
            assert_eq!(to_and_fro(&pools, 20, Duration::ZERO), 20);
            assert_eq!(to_and_fro(&pools, 4, Duration::from_millis(20)), 4);
            thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| assert_eq!(to_and_fro(&pools, 10, Duration::ZERO), 10));
                }
            });
        }
    });
}

#[test]
fn a_thread_waits_for_tasks_of_its_own_pool() {
    within_a_minute(|| {
        for threads in [1, 2] {
            let pool = lone(threads);
            for _ in 0..200 {
                let sum = pool.install(|worker| {
                    let tasks: Vec<_> = (0..8_u32)
                        .map(|i| heartbeat_pool::spawn_future(Lane::Frame, async move { i }))
                        .collect();
                    tasks
                        .into_iter()
                        .map(|task| worker.block_on(task))
                        .sum::<u32>()
                });
                assert_eq!(sum, 28);
            }
        }
    });
}

#[test]
fn nested_scopes_and_joins_end() {
    fn nest(worker: &Worker, depth: usize, leaves: &AtomicUsize) {
        if depth == 0 {
            leaves.fetch_add(1, Ordering::Relaxed);
            return;
        }
        worker.scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    Worker::with_current(|worker| {
                        let worker = worker.unwrap();
                        let nest = |worker: &Worker| nest(worker, depth - 1, leaves);
                        worker.join_offered(nest, nest);
                    });
                });
            }
        });
    }
    within_a_minute(|| {
        for threads in [1, 2, 8] {
            let pool = lone(threads);
            for _ in 0..20 {
                let leaves = AtomicUsize::new(0);
                pool.install(|worker| nest(worker, 4, &leaves));
                assert_eq!(leaves.into_inner(), 256);
            }
        }
    });
}

#[test]
fn there_are_never_more_threads_than_asked_for() {
    within_a_minute(|| {
        let started = Arc::new(AtomicUsize::new(0));
        let counter = started.clone();
        let builder = ThreadPool::builder()
            .num_threads(3)
            .spare_threads(false)
            .start_handler(move |_| _ = counter.fetch_add(1, Ordering::Relaxed));
        let pool = builder.build().unwrap();
        pool.install(|worker| {
            worker.scope(|scope| {
                for _ in 0..100 {
                    scope.spawn(|| {
                        let index = Worker::with_current(|worker| worker.and_then(Worker::index));
                        assert!(index.is_some_and(|index| index < 3));
                        heartbeat_pool::block_on(heartbeat_pool::spawn_future(
                            Lane::Frame,
                            heartbeat_pool::yield_task(),
                        ));
                    });
                }
            });
        });
        drop(pool);
        assert_eq!(started.load(Ordering::Relaxed), 3);
    });
}

#[test]
fn a_pool_of_threads_that_all_wait_can_be_dropped_after() {
    within_a_minute(|| {
        for _ in 0..100 {
            let pools = [lone(2), lone(1)];
            to_and_fro(&pools, 3, Duration::ZERO);
        }
    });
}

/// A pool whose first thread is the calling one.
fn enrolled(threads: usize) -> ThreadPool {
    let first = Arc::new(Mutex::new(None));
    let kept = first.clone();
    let builder = ThreadPool::builder()
        .num_threads(threads)
        .spare_threads(false)
        .spawn_handler(move |thread| {
            if thread.index() == 0 {
                *kept.lock().unwrap() = Some(thread);
                return Ok(());
            }
            thread.spawn().map(drop)
        });
    let pool = builder.build().unwrap();
    first.lock().unwrap().take().unwrap().enroll();
    pool
}

#[test]
fn an_enrolled_thread_takes_part_where_it_waits() {
    within_a_minute(|| {
        for threads in [1, 2, 4] {
            let enrolled = move || {
                let pool = enrolled(threads);
                let index = || Worker::with_current(|worker| worker.and_then(Worker::index));
                assert_eq!(index(), Some(0));
                let indices = pool.broadcast(|context| context.index());
                assert_eq!(indices, (0..threads).collect::<Vec<_>>());
                let ran = Arc::new(AtomicUsize::new(0));
                for _ in 0..10 {
                    let ran = ran.clone();
                    pool.spawn(Lane::Frame, move || _ = ran.fetch_add(1, Ordering::Relaxed));
                }
                if threads == 1 {
                    while pool.with_worker(Worker::yield_now) == heartbeat_pool::Yield::Executed {}
                }
                wait_until(|| ran.load(Ordering::Relaxed) == 10);
                assert_eq!(pool.install(Worker::index), Some(0));
                drop(pool);
                // It belongs to the pool still, and does all work itself now.
                assert_eq!(heartbeat_pool::join(|| 1, || 2), (1, 2));
            };
            thread::spawn(enrolled).join().unwrap();
        }
    });
}

#[cfg(any(target_os = "linux", target_os = "android", windows))]
#[cfg(not(any(miri, heartbeat_sim)))]
#[test]
fn an_enrolled_thread_is_busy_only_while_it_has_a_core() {
    within_a_minute(|| {
        let pool = enrolled(2);
        let thread = thread::current().id();
        let busy = || {
            let metrics = pool.metrics();
            let mut workers = metrics.workers.iter();
            let own = workers.find(|worker| worker.name == format!("{thread:?}"));
            own.unwrap().busy
        };
        // After a wait inside of the pool, for which it gives its seat away.
        pool.install(|_| {
            let sleep = || thread::sleep(Duration::from_millis(5));
            heartbeat_pool::block_on(heartbeat_pool::spawn_blocking(sleep));
        });
        let before = busy();
        thread::sleep(Duration::from_millis(20));
        assert!(busy() - before < Duration::from_millis(20));
    });
}

/// Handlers are called inside of the pool, and what they enter doesn't hide the thread's own seat.
#[test]
fn a_thread_whose_handler_enters_pools_is_still_a_member() {
    static OTHER: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let indices = Arc::new(Mutex::new(Vec::new()));
        let seen = indices.clone();
        let builder = ThreadPool::builder()
            .num_threads(1)
            .spare_threads(false)
            .start_handler(move |_| {
                OTHER.with_worker(|worker| worker.join(|_| (), |_| ()));
                let index = Worker::with_current(|worker| worker.and_then(Worker::index));
                seen.lock().unwrap().push(index);
            });
        let pools = [builder.build().unwrap(), lone(1)];
        assert_eq!(to_and_fro(&pools, 6, Duration::ZERO), 6);
        assert_eq!(pools[0].broadcast(|context| context.index()), [0]);
        assert_eq!(*indices.lock().unwrap(), [Some(0)]);
    });
}

#[test]
fn who_waits_in_a_pool_without_threads_tells_of_what_is_left() {
    within_a_minute(|| {
        let pool = Arc::new(ThreadPool::builder().num_threads(0).build().unwrap());
        let (end, ended) = async_channel::bounded::<()>(1);
        let wait = |_| {
            let (pool, ended) = (pool.clone(), ended.clone());
            thread::spawn(move || _ = pool.block_on(ended.recv()))
        };
        let waiters: Vec<_> = (0..2).map(wait).collect();
        for _ in 0..100 {
            thread::sleep(Duration::from_millis(2));
            let (sender, receiver) = mpsc::channel::<()>();
            let (over, is_over) = mpsc::channel();
            pool.spawn(Lane::Frame, move || {
                receiver.recv().unwrap();
                over.send(()).unwrap();
            });
            pool.spawn(Lane::Frame, move || sender.send(()).unwrap());
            is_over.recv().unwrap();
        }
        end.close();
        waiters
            .into_iter()
            .for_each(|waiter| waiter.join().unwrap());
    });
}
