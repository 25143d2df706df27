//! Threads of lower priority for the lower lanes.

mod common;

use common::{wait_until, within_a_minute};
use heartbeat_pool::{Lane, LowerPriority, ThreadBuilder, ThreadPool, Worker};
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn pool(threads: usize) -> Arc<ThreadPool> {
    let builder = ThreadPool::builder()
        .num_threads(threads)
        .lower_threads(true);
    Arc::new(builder.build().unwrap())
}

/// One whose lower threads get what others leave.
fn with_leftovers(threads: usize) -> Arc<ThreadPool> {
    let builder = ThreadPool::builder()
        .num_threads(threads)
        .lower_threads(true)
        .lower_priority(LowerPriority::Leftovers);
    Arc::new(builder.build().unwrap())
}

fn is_low() -> bool {
    thread::current()
        .name()
        .is_some_and(|name| name.starts_with("low "))
}

#[test]
fn their_names_fit_what_linux_shows() {
    within_a_minute(|| {
        for (name, low) in [("worker", "low worker "), ("pathfinders", "low (")] {
            let pool = ThreadPool::builder()
                .num_threads(1)
                .lower_threads(true)
                .thread_name(move |index| format!("{name} {index}"))
                .build()
                .unwrap();
            let name = || async { thread::current().name().map(str::to_owned) };
            let name = pool.block_on(pool.spawn_future(Lane::Background, name()));
            let name = name.unwrap();
            assert!(name.starts_with(low) && name.len() <= 15, "{name}");
        }
    });
}

#[test]
fn who_names_them_may_queue_a_job_for_them() {
    static POOL: ThreadPool = ThreadPool::new();
    static IS_BUILT: AtomicBool = AtomicBool::new(false);
    within_a_minute(|| {
        let (sender, receiver) = mpsc::channel();
        ThreadPool::builder()
            .num_threads(1)
            .lower_threads(true)
            .thread_name(move |index| {
                if IS_BUILT.swap(false, Ordering::SeqCst) {
                    let sender = sender.clone();
                    POOL.spawn(Lane::Io, move || sender.send(is_low()).unwrap());
                }
                format!("worker {index}")
            })
            .build_static(&POOL)
            .unwrap();
        IS_BUILT.store(true, Ordering::SeqCst);
        POOL.resize_to(2).unwrap();
        receiver.recv().unwrap();
        assert!(POOL.block_on(POOL.spawn_future(Lane::Io, async { is_low() })));
    });
}

#[test]
fn each_lane_runs_on_its_own_threads_wherever_it_is_spawned() {
    within_a_minute(|| {
        let pool = pool(2);
        for lane in Lane::ALL {
            let expected = lane != Lane::Frame;
            let task = pool.spawn_future(lane, async move {
                assert_eq!(is_low(), expected);
                for inner in Lane::ALL {
                    let is_low = heartbeat_pool::spawn_future(inner, async { is_low() }).await;
                    assert_eq!(is_low, inner != Lane::Frame);
                }
                // Forks of a background job are background work.
                heartbeat_pool::scope(|scope| {
                    for _ in 0..100 {
                        scope.spawn(move || assert_eq!(is_low(), expected));
                    }
                });
            });
            pool.block_on(task);
        }
    });
}

#[test]
fn a_scope_of_the_pool_in_a_background_job_stays_on_its_threads() {
    within_a_minute(|| {
        let pool = pool(2);
        let inner = pool.clone();
        let task = pool.spawn_future(Lane::Background, async move {
            inner.scope(|scope| {
                for _ in 0..100 {
                    scope.spawn(|| assert!(is_low()));
                }
            });
            Worker::with_current(|worker| worker.unwrap().lane())
        });
        assert_eq!(pool.block_on(task), Lane::Background);
    });
}

/// More endless jobs than there are threads, in both lanes.
#[test]
fn lower_lanes_use_every_core_and_starve_neither_frames_nor_each_other() {
    within_a_minute(|| {
        for threads in [1, 2, 4] {
            let pool = with_leftovers(threads);
            let stop = Arc::new(AtomicBool::new(false));
            let running = Arc::new(AtomicUsize::new(0));
            for _ in 0..=threads {
                let (stop, running) = (stop.clone(), running.clone());
                pool.spawn(Lane::Background, move || {
                    running.fetch_add(1, Ordering::Relaxed);
                    while !stop.load(Ordering::Relaxed) {
                        thread::sleep(Duration::from_micros(100));
                    }
                });
            }
            while running.load(Ordering::Relaxed) < threads {
                thread::yield_now();
            }
            assert_eq!(pool.block_on(pool.spawn_future(Lane::Io, async { 1 })), 1);
            assert_eq!(
                pool.block_on(pool.spawn_future(Lane::Frame, async { 2 })),
                2
            );
            let mut numbers = vec![1; 10_000];
            pool.for_each(&mut numbers, |number| *number += 1);
            assert_eq!(numbers.iter().sum::<i32>(), 20_000);
            stop.store(true, Ordering::Relaxed);
        }
    });
}

#[test]
fn the_two_sets_of_threads_may_wait_for_each_other() {
    within_a_minute(|| {
        fn nest(pool: &Arc<ThreadPool>, depth: usize) -> usize {
            if depth == 0 {
                return 1;
            }
            let inner = pool.clone();
            let task =
                pool.spawn_future(Lane::ALL[depth % 3], async move { nest(&inner, depth - 1) });
            pool.block_on(task)
        }
        for threads in [0, 1, 2] {
            assert_eq!(nest(&pool(threads), 30), 1);
        }
    });
}

#[test]
fn pools_end_and_change_their_size_with_jobs_in_every_state() {
    within_a_minute(|| {
        for round in 0..50 {
            let pool = pool(1 + round % 3);
            let (sender, receiver) = mpsc::channel();
            let (never, waits) = async_channel::bounded::<()>(1);
            for lane in Lane::ALL {
                for _ in 0..20 {
                    let sender = sender.clone();
                    pool.spawn(lane, move || _ = sender.send(()));
                    let waits = waits.clone();
                    pool.spawn_future(lane, async move { _ = waits.recv().await })
                        .detach();
                }
            }
            pool.resize_to(round % 4).unwrap();
            if round % 2 == 0 {
                pool.resize_to(2).unwrap();
                receiver.recv().unwrap();
            }
            let own = pool.clone();
            // It may be the last to hold the pool.
            pool.spawn(Lane::Io, move || drop(own));
            drop(pool);
            drop((never, receiver));
        }
    });
}

#[test]
fn metrics_tell_of_both() {
    within_a_minute(|| {
        let pool = pool(1);
        for lane in Lane::ALL {
            pool.block_on(pool.spawn_future(lane, async {}));
        }
        let metrics = pool.metrics();
        assert_eq!(metrics.threads, 1);
        assert!(metrics.total().jobs.iter().all(|&jobs| jobs >= 1));
        let low = |name: &str| name.starts_with("low ");
        assert!(metrics.workers.iter().any(|worker| low(&worker.name)));
        assert!(metrics.workers.iter().any(|worker| !low(&worker.name)));
    });
}

#[cfg(target_os = "linux")]
const SCHED_IDLE: i64 = 5;

/// The system's own view of the calling thread: its nice value and its policy.
#[cfg(target_os = "linux")]
fn priority() -> (i64, i64) {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    // After the name, which is in brackets: state is the third field, nice the 19th, policy the
    // 41st.
    let fields = stat.rsplit(')').next().unwrap().split_whitespace();
    let fields: Vec<_> = fields.collect();
    let field = |number: usize| fields[number - 3].parse().unwrap();
    (field(19), field(41))
}

#[cfg(target_os = "linux")]
#[test]
fn their_priority_is_lower() {
    within_a_minute(|| {
        let pool = with_leftovers(1);
        let own = priority();
        let of = |lane| pool.block_on(pool.spawn_future(lane, async { priority() }));
        assert_eq!(of(Lane::Frame), own);
        for lane in [Lane::Io, Lane::Background] {
            let (nice, policy) = of(lane);
            assert!(nice > own.0 || policy == SCHED_IDLE);
        }
    });
}

/// What they start, such as a library's own threads, is run as readily as anything.
#[cfg(target_os = "linux")]
#[test]
fn by_default_threads_that_they_start_have_the_usual_priority() {
    within_a_minute(|| {
        let pool = pool(1);
        let own = priority();
        for lane in [Lane::Io, Lane::Background] {
            let start = || async { thread::spawn(priority).join().unwrap() };
            assert_eq!(pool.block_on(pool.spawn_future(lane, start())), own);
        }
    });
}

#[cfg(target_os = "linux")]
#[test]
fn all_of_them_give_way_at_once() {
    for threads in [1, 2, 3] {
        within_a_minute(move || {
            let pool = with_leftovers(threads);
            let policy = |_| {
                pool.spawn_future(Lane::Background, async {
                    thread::sleep(Duration::from_millis(1));
                    priority().1
                })
            };
            let tasks: Vec<_> = (0..4 * threads).map(policy).collect();
            for task in tasks {
                assert_eq!(pool.block_on(task), SCHED_IDLE);
            }
        });
    }
}

/// Threads have the priority of whoever starts them, and can't raise it again.
#[cfg(target_os = "linux")]
#[test]
fn frame_threads_that_a_background_job_needs_have_the_usual_priority() {
    within_a_minute(|| {
        let pool = with_leftovers(1);
        let own = priority();
        let (end, ended) = async_channel::bounded::<()>(1);
        let (tell, told) = async_channel::unbounded();
        let shared = pool.clone();
        let background = pool.spawn_future(Lane::Background, async move {
            for _ in 0..6 {
                let (tell, ended) = (tell.clone(), ended.clone());
                let waiting = shared.spawn_future(Lane::Frame, async move {
                    tell.try_send(priority()).unwrap();
                    heartbeat_pool::block_on(ended.recv()).unwrap_err();
                });
                waiting.detach();
                assert_eq!(told.recv().await.unwrap(), own);
                // Until its thread waits, and the next job needs another one.
                thread::sleep(Duration::from_millis(5));
            }
        });
        pool.block_on(background);
        drop(end);
    });
}

#[test]
fn whether_there_are_lower_threads_may_change() {
    static POOL: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let name = || {
            let name = || async { thread::current().name().unwrap_or_default().to_owned() };
            POOL.block_on(POOL.spawn_future(Lane::Background, name()))
        };
        // To ask settles nothing.
        assert!(!POOL.is_sized());
        for (lower, is_first) in [(true, true), (false, false), (true, false)] {
            let builder = ThreadPool::builder().num_threads(1).lower_threads(lower);
            assert_eq!(builder.build_static(&POOL).unwrap(), is_first);
            assert_eq!(name().starts_with("low "), lower);
        }
        let builder = ThreadPool::builder().num_threads(3);
        builder.build_static_if_unsized(&POOL).unwrap();
        assert_eq!(POOL.num_threads(), 1);
    });
}

/// Jobs are queued for lower threads, and the next moment these are off, or on.
#[test]
fn what_was_given_is_done_though_lower_threads_are_turned_off_and_on() {
    static POOL: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let set = |lower| {
            let builder = ThreadPool::builder().num_threads(2).lower_threads(lower);
            builder.build_static(&POOL).unwrap();
        };
        set(true);
        let (sender, receiver) = mpsc::channel();
        thread::scope(|threads| {
            threads.spawn(|| (0..200).for_each(|round| set(round % 2 == 0)));
            for lane in [Lane::Io, Lane::Background] {
                let sender = sender.clone();
                threads.spawn(move || {
                    for job in 0..2_000 {
                        let sender = sender.clone();
                        POOL.spawn(lane, move || sender.send(job).unwrap());
                        if job % 100 == 0 {
                            thread::sleep(Duration::from_micros(200));
                        }
                    }
                });
            }
        });
        // Nobody asks the pool for anything any more.
        for _ in 0..4_000 {
            receiver.recv().unwrap();
        }
    });
}

/// A frame job waits for an io task that is still queued when the pool ends, behind one that holds
/// the only lower thread.
#[test]
fn a_pool_ends_while_a_frame_job_waits_for_a_lower_task() {
    within_a_minute(|| {
        for _ in 0..20 {
            let pool = pool(1);
            let (hold, held) = mpsc::channel::<()>();
            let (begin, has_begun) = mpsc::channel();
            let (over, is_over) = mpsc::channel();
            let begins = begin.clone();
            pool.spawn(Lane::Io, move || {
                begins.send(()).unwrap();
                held.recv().unwrap();
            });
            has_begun.recv().unwrap();
            pool.spawn(Lane::Frame, move || {
                let task = heartbeat_pool::spawn_future(Lane::Io, async { 3 });
                begin.send(()).unwrap();
                over.send(heartbeat_pool::block_on(task)).unwrap();
            });
            has_begun.recv().unwrap();
            thread::scope(|threads| {
                threads.spawn(|| drop(pool));
                thread::sleep(Duration::from_millis(1));
                hold.send(()).unwrap();
            });
            assert_eq!(is_over.recv().unwrap(), 3);
        }
    });
}

/// A frame job spawns the pool's first io task, and waits for it, once the pool's end has begun.
#[test]
fn a_pool_ends_while_a_frame_job_waits_for_its_first_lower_task() {
    within_a_minute(|| {
        for _ in 0..20 {
            let pool = pool(1);
            let (begin, has_begun) = mpsc::channel();
            let (over, is_over) = mpsc::channel();
            pool.spawn(Lane::Frame, move || {
                begin.send(()).unwrap();
                // By then the pool is being dropped.
                thread::sleep(Duration::from_millis(5));
                let task = heartbeat_pool::spawn_future(Lane::Io, async { 3 });
                over.send(heartbeat_pool::block_on(task)).unwrap();
            });
            has_begun.recv().unwrap();
            drop(pool);
            assert_eq!(is_over.recv().unwrap(), 3);
        }
    });
}

/// An io job blocks on a frame task that is woken while the pool ends: frame threads are there
/// until it is done.
#[test]
fn a_pool_ends_while_a_lower_job_waits_for_a_frame_task() {
    within_a_minute(|| {
        for round in 0..40 {
            for lane in [Lane::Io, Lane::Background] {
                let pool = pool(2);
                let (begin, has_begun) = mpsc::channel();
                let (over, is_over) = mpsc::channel();
                pool.spawn(lane, move || {
                    let (sender, receiver) = async_channel::bounded::<u32>(1);
                    let child = heartbeat_pool::spawn_future(Lane::Frame, async move {
                        receiver.recv().await.unwrap()
                    });
                    let waker = thread::spawn(move || {
                        thread::sleep(Duration::from_millis(2));
                        sender.try_send(3).unwrap();
                    });
                    begin.send(()).unwrap();
                    over.send(heartbeat_pool::block_on(child)).unwrap();
                    waker.join().unwrap();
                });
                has_begun.recv().unwrap();
                thread::sleep(Duration::from_micros(round * 100));
                drop(pool);
                assert_eq!(is_over.recv().unwrap(), 3);
            }
        }
    });
}

/// A pool ends while a frame job waits, in a way that the pool can't see, for an io job that no
/// thread has begun.
#[test]
fn a_pool_ends_though_a_frame_job_waits_for_a_queued_io_job() {
    within_a_minute(|| {
        let pool = pool(1);
        let (begun, has_begun) = mpsc::channel();
        let (send_end, end) = mpsc::channel::<()>();
        let (go_on, may_go_on) = mpsc::channel();
        // Keeps the only lower thread.
        let keeps = begun.clone();
        pool.spawn(Lane::Io, move || {
            keeps.send(()).unwrap();
            may_go_on.recv().unwrap();
        });
        has_begun.recv().unwrap();
        let waiter = pool.clone();
        pool.spawn(Lane::Frame, move || {
            waiter.spawn(Lane::Io, move || send_end.send(()).unwrap());
            drop(waiter);
            begun.send(()).unwrap();
            _ = end.recv();
        });
        has_begun.recv().unwrap();
        let ending = thread::spawn(move || drop(pool));
        thread::sleep(Duration::from_millis(20));
        go_on.send(()).unwrap();
        ending.join().unwrap();
    });
}

/// The pool is left without threads while its one lower thread, in whose place no other comes,
/// waits for a call that blocks.
#[test]
fn a_lower_thread_that_waits_alone_does_what_it_waits_for() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let pool = Arc::new(builder.lower_threads(true).build().unwrap());
        // Else one of its threads may come after it was looked for.
        wait_until(|| pool.metrics().workers.len() == 2);
        let (begun, has_begun) = mpsc::channel();
        let (go_on, may_go_on) = mpsc::channel::<()>();
        let task = pool.spawn_future(Lane::Io, async move {
            begun.send(()).unwrap();
            may_go_on.recv().unwrap();
            heartbeat_pool::block_on(heartbeat_pool::spawn_blocking(is_low))
        });
        has_begun.recv().unwrap();
        pool.resize_to(0).unwrap();
        // The frame's thread would do it as well.
        wait_until(|| {
            pool.metrics()
                .workers
                .iter()
                .all(|worker| worker.name.starts_with("low "))
        });
        go_on.send(()).unwrap();
        assert!(futures_lite::future::block_on(task));
    });
}

/// Each change is made by the start of a thread, so in the midst of another one.
#[test]
fn there_are_as_many_as_frame_threads_though_their_number_changes_as_they_start() {
    static POOL: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let has_shrunk = AtomicBool::new(false);
        let start = move |thread: ThreadBuilder| {
            let is_lower = thread.name().starts_with("low ");
            if is_lower && !has_shrunk.swap(true, Ordering::Relaxed) {
                POOL.resize_to(1).unwrap();
            }
            thread.spawn().map(drop)
        };
        ThreadPool::builder()
            .num_threads(3)
            .lower_threads(true)
            .spawn_handler(start)
            .build_static(&POOL)
            .unwrap();
        POOL.block_on(POOL.spawn_future(Lane::Background, async { assert!(is_low()) }));
        assert_eq!(POOL.num_threads(), 1);
        let given = AtomicUsize::new(0);
        POOL.block_on(POOL.spawn_future(Lane::Background, async move {
            given.store(heartbeat_pool::broadcast(|_| ()).len(), Ordering::Relaxed);
            assert_eq!(given.into_inner(), 1);
        }));
    });
}

/// The system has threads for the frame again, and so for the lower lanes.
#[test]
fn they_come_back_with_the_frame_threads_that_were_refused() {
    static POOL: ThreadPool = ThreadPool::new();
    static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);
    within_a_minute(|| {
        let start = |thread: ThreadBuilder| {
            let less = |left: usize| left.checked_sub(1);
            LEFT.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
                .map_err(|_| io::Error::from(io::ErrorKind::WouldBlock))?;
            thread.spawn().map(drop)
        };
        ThreadPool::builder()
            .num_threads(2)
            .lower_threads(true)
            .spawn_handler(start)
            .build_static(&POOL)
            .unwrap();
        let is_on_lower = || POOL.block_on(POOL.spawn_future(Lane::Io, async { is_low() }));
        assert!(is_on_lower());
        POOL.resize_to(0).unwrap();
        LEFT.store(0, Ordering::SeqCst);
        // Once those that there were have gone.
        while POOL.resize_to(2).is_ok() {
            POOL.resize_to(0).unwrap();
            thread::sleep(Duration::from_millis(1));
        }
        LEFT.store(100, Ordering::SeqCst);
        while !is_on_lower() {
            thread::sleep(Duration::from_millis(1));
        }
    });
}

/// Io jobs that wait for background jobs let in one more each; but what they wait for comes first.
#[test]
fn what_io_jobs_wait_for_in_the_other_lane_comes_before_more_of_them() {
    const JOBS: usize = 50;
    within_a_minute(|| {
        // How many have begun as the first of what they wait for runs. Some begin meanwhile, more
        // where the system suspends the thread that has it, which rarely happens in most rounds.
        let mut begun_before_the_first = [0; 51];
        for of_round in &mut begun_before_the_first {
            let pool = pool(1);
            let begun = Arc::new(AtomicUsize::new(0));
            let job = |_| {
                let (own, begun) = (pool.clone(), begun.clone());
                pool.spawn_future(Lane::Io, async move {
                    begun.fetch_add(1, Ordering::Relaxed);
                    let before = async move { begun.load(Ordering::Relaxed) };
                    own.block_on(own.spawn_future(Lane::Background, before))
                })
            };
            let jobs: Vec<_> = (0..JOBS).map(job).collect();
            let before: Vec<_> = jobs.into_iter().map(|job| pool.block_on(job)).collect();
            *of_round = before.into_iter().min().unwrap();
        }
        begun_before_the_first.sort_unstable();
        let median = begun_before_the_first[25];
        assert!(median <= JOBS / 4, "{begun_before_the_first:?}");
    });
}

/// What they start has what others leave as well, for good.
#[cfg(target_os = "linux")]
#[test]
fn refused_frame_threads_are_not_asked_for_by_threads_that_give_way() {
    within_a_minute(|| {
        let refuses = Arc::new(AtomicBool::new(false));
        let refused = refuses.clone();
        let handler = move |thread: ThreadBuilder| {
            if refused.load(Ordering::SeqCst) && thread.name().starts_with("heartbeat") {
                return Err(io::Error::from(io::ErrorKind::WouldBlock));
            }
            thread.spawn().map(drop)
        };
        let pool = ThreadPool::builder()
            .num_threads(1)
            .lower_threads(true)
            .lower_priority(LowerPriority::Leftovers)
            .spawn_handler(handler)
            .build()
            .unwrap();
        let (pool, own) = (Arc::new(pool), priority());
        refuses.store(true, Ordering::SeqCst);
        pool.resize_to(2).unwrap_err();
        refuses.store(false, Ordering::SeqCst);
        // Until the system may be asked again.
        thread::sleep(Duration::from_millis(50));
        // It alone waits: this one does so outside of the pool.
        let (waited, wait) = mpsc::channel();
        let shared = pool.clone();
        pool.spawn(Lane::Background, move || {
            let pause = async { thread::sleep(Duration::from_millis(30)) };
            shared.block_on(shared.spawn_future(Lane::Background, pause));
            waited.send(()).unwrap();
        });
        wait.recv().unwrap();
        for policy in pool.broadcast(|_| priority()) {
            assert_eq!(policy, own);
        }
    });
}

/// Background jobs come first while more io jobs wait in place; but one io job runs always.
#[test]
fn an_io_job_begins_beside_background_jobs_without_end_though_others_wait() {
    for (leftovers, threads) in [(false, 1), (false, 2), (true, 1), (true, 2), (true, 3)] {
        within_a_minute(move || {
            let pool = if leftovers {
                with_leftovers(threads)
            } else {
                pool(threads)
            };
            let over = Arc::new(AtomicBool::new(false));
            let (end, ended) = async_channel::bounded::<()>(1);
            let (begin, begun) = mpsc::channel();
            for _ in 0..2 * threads {
                let (own, ended, begin) = (pool.clone(), ended.clone(), begin.clone());
                pool.spawn(Lane::Io, move || {
                    begin.send(()).unwrap();
                    own.block_on(ended.recv()).unwrap_err();
                });
            }
            for _ in 0..2 * threads {
                begun.recv().unwrap();
            }
            fn again(pool: Arc<ThreadPool>, over: Arc<AtomicBool>) {
                if !over.load(Ordering::Relaxed) {
                    let own = pool.clone();
                    pool.spawn(Lane::Background, move || again(own, over));
                }
            }
            for _ in 0..100 {
                again(pool.clone(), over.clone());
            }
            for _ in 0..20 {
                thread::sleep(Duration::from_millis(2));
                let (tell, told) = mpsc::channel();
                pool.spawn(Lane::Io, move || tell.send(()).unwrap());
                told.recv_timeout(Duration::from_secs(5)).unwrap();
            }
            over.store(true, Ordering::Relaxed);
            drop(end);
        });
    }
}

#[test]
fn install_on_a_lower_thread_that_is_inside_of_another_pool_is_a_call_on_it() {
    within_a_minute(|| {
        let own = Arc::new(
            ThreadPool::builder()
                .num_threads(1)
                .lower_threads(true)
                .build()
                .unwrap(),
        );
        let (known, other) = (own.clone(), ThreadPool::new());
        let (sender, receiver) = mpsc::channel();
        own.spawn(Lane::Io, move || {
            let here = thread::current().id();
            // Of whichever of them it is.
            let call = |worker: &Worker| (thread::current().id() == here, worker.is_member());
            sender
                .send(other.with_worker(|_| known.install(call)))
                .unwrap();
        });
        assert_eq!(receiver.recv(), Ok((true, true)));
    });
}
