//! Pools without spare threads, and threads that were there before their pool.

mod common;

use common::{wait_until, within_a_minute};
use heartbeat_pool::{Lane, ThreadBuilder, ThreadPool, Worker};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

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

/// Queues itself for one thread alone until `is_over`.
fn again_and_again(pool: &Arc<ThreadPool>, is_over: &Arc<AtomicBool>) {
    if !is_over.load(Ordering::Relaxed) {
        let (next, over) = (pool.clone(), is_over.clone());
        pool.spawn_on(0, move || again_and_again(&next, &over));
    }
}

#[test]
fn endless_work_for_one_thread_alone_leaves_turns_to_the_pools() {
    within_a_minute(|| {
        let (pool, is_over) = (Arc::new(lone(1)), Arc::new(AtomicBool::new(false)));
        again_and_again(&pool, &is_over);
        let over = is_over.clone();
        pool.spawn(Lane::Frame, move || over.store(true, Ordering::Relaxed));
        wait_until(|| is_over.load(Ordering::Relaxed));
    });
}

/// Calls `test` with a pool of two threads, whose second one is blocked in a way of its own until
/// the test is over.
fn beside_one_that_is_blocked(test: impl FnOnce(&Arc<ThreadPool>)) {
    let pool = Arc::new(lone(2));
    let (begun, has_begun) = mpsc::channel();
    let (go, may_go) = mpsc::channel::<()>();
    pool.spawn_on(1, move || {
        begun.send(()).unwrap();
        may_go.recv().unwrap();
    });
    has_begun.recv().unwrap();
    test(&pool);
    go.send(()).unwrap();
}

#[test]
fn a_wait_that_runs_endless_work_of_its_thread_does_what_others_leave() {
    within_a_minute(|| {
        beside_one_that_is_blocked(|pool| {
            let is_over = Arc::new(AtomicBool::new(false));
            let (over, waited) = (is_over.clone(), pool.clone());
            let (end, ended) = async_channel::bounded::<()>(1);
            pool.spawn_on(0, move || {
                again_and_again(&waited, &over);
                _ = waited.block_on(ended.recv());
            });
            let over = is_over.clone();
            pool.spawn(Lane::Frame, move || over.store(true, Ordering::Relaxed));
            wait_until(|| is_over.load(Ordering::Relaxed));
            end.close();
        });
    });
}

/// A pool whose only thread is handed over.
fn handed_over() -> (ThreadPool, ThreadBuilder) {
    let wanted = Arc::new(Mutex::new(None));
    let kept = wanted.clone();
    let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
    let builder = builder.spawn_handler(move |thread| {
        *kept.lock().unwrap() = Some(thread);
        Ok(())
    });
    let pool = builder.build().unwrap();
    let thread = wanted.lock().unwrap().take().unwrap();
    (pool, thread)
}

#[test]
fn a_pool_ends_though_a_thread_that_was_enrolled_lives_on() {
    within_a_minute(|| {
        let (pool, thread) = handed_over();
        let (enrolled, is_enrolled) = mpsc::channel();
        let (over, is_over) = mpsc::channel::<()>();
        let other = thread::spawn(move || {
            thread.enroll();
            enrolled.send(()).unwrap();
            is_over.recv().unwrap();
        });
        is_enrolled.recv().unwrap();
        drop(pool);
        over.send(()).unwrap();
        other.join().unwrap();
    });
}

/// What its thread-locals drop then finds no pool that is gone.
#[test]
fn an_enrolled_thread_leaves_its_pool_as_it_ends() {
    struct Tells(mpsc::Sender<bool>);
    impl Drop for Tells {
        fn drop(&mut self) {
            let is_inside = Worker::with_current(|worker| worker.is_some());
            self.0.send(is_inside).unwrap();
        }
    }
    thread_local! {
        static BEFORE: Cell<Option<Tells>> = const { Cell::new(None) };
        static AFTER: Cell<Option<Tells>> = const { Cell::new(None) };
    }
    within_a_minute(|| {
        let (_pool, thread) = handed_over();
        let (sender, receiver) = mpsc::channel();
        let other = thread::spawn(move || {
            BEFORE.set(Some(Tells(sender.clone())));
            thread.enroll();
            AFTER.set(Some(Tells(sender)));
        });
        other.join().unwrap();
        // In whichever order they are dropped, one is dropped after the pool's.
        assert!(receiver.iter().any(|is_inside| !is_inside));
    });
}

/// Also to what its wait must do, for nobody else could.
#[test]
fn a_thread_that_was_in_another_pool_before_it_is_run_is_a_member() {
    within_a_minute(|| {
        let other = Arc::new(lone(0));
        let entered = other.clone();
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let builder = builder.spawn_handler(move |thread| {
            let other = entered.clone();
            let run = move || {
                other.with_worker(|_| ());
                thread.run();
            };
            thread::Builder::new().spawn(run).map(drop)
        });
        let pool = builder.build().unwrap();
        let ran = AtomicBool::new(false);
        pool.install(|worker| {
            worker.scope(|scope| {
                assert!(scope.try_spawn_on(0, || ran.store(true, Ordering::Relaxed)));
            });
        });
        assert!(ran.into_inner());
    });
}

/// It has a lock, say, which others' jobs want; an idle thread takes those.
#[test]
fn a_wait_beside_an_idle_thread_runs_no_job_of_others() {
    within_a_minute(|| {
        let pool = lone(2);
        // Both are there from then on.
        pool.broadcast(|_| ());
        for round in 0..100_u32 {
            let is_held = AtomicBool::new(false);
            let is_held = &is_held;
            let (ends, ended) = async_channel::bounded::<()>(1);
            let (tells, owner) = mpsc::channel();
            let ended = &ended;
            thread::scope(|threads| {
                threads.spawn(|| {
                    pool.install(|worker| {
                        is_held.store(true, Ordering::SeqCst);
                        tells.send(thread::current().id()).unwrap();
                        let wait = async { ended.recv().await.unwrap() };
                        worker.scope(|scope| scope.spawn_future(wait).detach());
                        is_held.store(false, Ordering::SeqCst);
                    });
                });
                let owner = owner.recv().unwrap();
                thread::sleep(Duration::from_micros(100 * u64::from(round % 4)));
                let begun = Instant::now();
                let task =
                    |_| pool.spawn_future(Lane::Frame, async move { thread::current().id() });
                let tasks: Vec<_> = (0..4).map(task).collect();
                let ran_on = tasks.into_iter().map(|task| pool.block_on(task));
                let ran_there = ran_on.filter(|thread| *thread == owner).count();
                assert!(is_held.load(Ordering::SeqCst));
                // If the idle thread has had no core for so long, it may.
                let is_late = begun.elapsed() > Duration::from_millis(50);
                assert!(ran_there == 0 || is_late, "{ran_there} within the wait");
                ends.send_blocking(()).unwrap();
            });
        }
    });
}
