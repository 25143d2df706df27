//! The pool's threads one by one: work for given ones, growing and shrinking, blocking.

mod common;

use common::{SIZES, pool, wait_until, within_a_minute};
use heartbeat_pool::{BuildError, Lane, ThreadPool, Worker, block_in_place};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

fn index() -> Option<usize> {
    Worker::with_current(|worker| worker.and_then(Worker::index))
}

#[test]
fn a_broadcast_runs_once_on_each_thread_in_order() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let from_outside = pool.broadcast(|context| (context.index(), context.num_threads()));
            let count = threads.max(1);
            let expected: Vec<_> = (0..count).map(|index| (index, count)).collect();
            assert_eq!(from_outside, expected);
            if threads > 0 {
                let on = pool.broadcast(|_| index().unwrap());
                assert_eq!(on, (0..threads).collect::<Vec<_>>());
            }
            // From inside, the caller's own thread is among them.
            let inside = pool.spawn_future(Lane::Frame, async {
                heartbeat_pool::broadcast(|context| context.index())
            });
            assert_eq!(pool.block_on(inside), (0..count).collect::<Vec<_>>());
        }
    });
}

#[test]
fn a_broadcast_from_a_lower_thread_is_for_those_of_the_frame() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(2).lower_threads(true);
        let pool = Arc::new(builder.build().unwrap());
        let inner = pool.clone();
        let job = pool.spawn_future(Lane::Io, async move {
            inner.broadcast(|_| thread::current().name().map(str::to_owned))
        });
        let names: Vec<_> = pool.block_on(job).into_iter().flatten().collect();
        assert_eq!(names, ["heartbeat (0)", "heartbeat (1)"]);
        let (sender, receiver) = mpsc::channel();
        pool.spawn(Lane::Io, move || {
            let tell = move || sender.send(thread::current().name().map(str::to_owned));
            let is_there = |worker: Option<&Worker>| {
                worker.is_some_and(|own| own.try_spawn_on(1, move || tell().unwrap()))
            };
            assert!(Worker::with_current(is_there));
        });
        assert_eq!(receiver.recv().unwrap().as_deref(), Some("heartbeat (1)"));
    });
}

/// Of a pool without spare threads, whose threads keep their indices.
#[test]
fn threads_that_are_too_many_end_and_have_no_number() {
    within_a_minute(|| {
        let (sender, slots) = mpsc::channel();
        let ends = move |_| {
            // Another thread may have its place by now.
            thread::sleep(Duration::from_millis(10));
            let slot = Worker::with_current(|worker| worker.and_then(Worker::slot));
            sender.send(slot).unwrap();
        };
        let builder = ThreadPool::builder().num_threads(4).spare_threads(false);
        let pool = builder.exit_handler(ends).build().unwrap();
        pool.resize_to(1).unwrap();
        assert_eq!(slots.recv(), Ok(None));
        pool.resize_to(4).unwrap();
        wait_until(|| alive(&pool) >= 4);
        pool.resize_to(1).unwrap();
        for _ in 0..100 {
            let slot = pool.install(Worker::slot);
            assert!(slot.is_none_or(|slot| slot < 1), "{slot:?}");
        }
        wait_until(|| alive(&pool) == 1);
        wait_until(|| pool.install(Worker::slot) == Some(0));
        assert!(slots.try_iter().all(|slot| slot.is_none()));
    });
}

#[test]
fn a_broadcasts_calls_may_meet() {
    within_a_minute(|| {
        let pool = pool(3);
        let meet = Barrier::new(3);
        pool.broadcast(|_| _ = meet.wait());
    });
}

#[test]
fn a_broadcasts_panic_reaches_its_caller_after_all_calls() {
    within_a_minute(|| {
        let pool = pool(3);
        let calls = AtomicUsize::new(0);
        let result = catch_unwind(AssertUnwindSafe(|| {
            pool.broadcast(|context| {
                calls.fetch_add(1, Ordering::SeqCst);
                assert_ne!(context.index(), 1, "the middle one");
            })
        }));
        let payload = result.unwrap_err();
        assert!(payload.downcast_ref::<String>().unwrap().contains("middle"));
        assert_eq!(calls.load(Ordering::SeqCst), 3);
    });
}

#[test]
fn spawn_on_stays_on_its_thread() {
    within_a_minute(|| {
        let pool = pool(4);
        let (sender, receiver) = mpsc::channel();
        for wanted in (0..4).cycle().take(400) {
            let sender = sender.clone();
            pool.spawn_on(wanted, move || sender.send((wanted, index())).unwrap());
        }
        drop(sender);
        let all: Vec<_> = receiver.iter().collect();
        assert_eq!(all.len(), 400);
        assert!(all.iter().all(|(wanted, on)| *on == Some(*wanted)));
        let seen = Mutex::new(BTreeSet::new());
        pool.scope(|scope| {
            for wanted in 0..4 {
                let seen = &seen;
                scope.try_spawn_on(wanted, move || _ = seen.lock().unwrap().insert(index()));
            }
        });
        assert_eq!(seen.into_inner().unwrap().len(), 4);
    });
}

#[test]
fn spawn_on_a_thread_that_waits_for_it_runs() {
    within_a_minute(|| {
        let pool = pool(1);
        for wait_in_scope in [false, true] {
            let task = pool.spawn_future(Lane::Frame, async move {
                let (sender, receiver) = async_channel::bounded(1);
                let send = move || sender.try_send(index()).unwrap();
                assert!(Worker::with_current(|worker| worker
                    .unwrap()
                    .try_spawn_on(0, send)));
                if wait_in_scope {
                    heartbeat_pool::scope(|scope| {
                        let received = async move { receiver.recv().await.unwrap() };
                        let task = scope.spawn_future(received);
                        heartbeat_pool::block_on(task)
                    })
                } else {
                    heartbeat_pool::block_on(receiver.recv()).unwrap()
                }
            });
            assert_eq!(pool.block_on(task), Some(0));
        }
    });
}

#[test]
fn spawn_on_names_the_thread_that_is_missing() {
    let pool = pool(2);
    let result = catch_unwind(AssertUnwindSafe(|| pool.spawn_on(2, || ())));
    let payload = result.unwrap_err();
    let message = payload.downcast_ref::<String>().unwrap();
    assert_eq!(message, "spawn_on: the pool has no thread 2; it has 2");
}

/// It comes and goes as others wait.
#[test]
fn nothing_is_spawned_on_a_spare_thread() {
    within_a_minute(|| {
        let (started, starts) = mpsc::channel();
        let builder = ThreadPool::builder().num_threads(1);
        let builder = builder.start_handler(move |index| started.send(index).unwrap());
        let pool = builder.build().unwrap();
        pool.install(move |worker| {
            worker.spawn(Lane::Frame, || ());
            block_in_place(|| while starts.recv() != Ok(1) {});
            assert!(!worker.try_spawn_on(1, || ()));
            assert!(worker.try_spawn_on(0, || ()));
        });
    });
}

/// The indices of the pool's threads that live, seen by what runs on them.
fn alive(pool: &ThreadPool) -> usize {
    pool.metrics()
        .workers
        .iter()
        .filter(|worker| worker.name.starts_with("heartbeat ("))
        .count()
}

#[test]
fn a_pool_grows_shrinks_and_fills_up_again() {
    within_a_minute(|| {
        let pool = pool(1);
        pool.resize_to(4).unwrap();
        assert_eq!(pool.broadcast(|context| context.index()).len(), 4);
        pool.resize_to(1).unwrap();
        assert_eq!(pool.broadcast(|context| context.index()), [0]);
        pool.resize_to(0).unwrap();
        assert_eq!(pool.num_threads(), 0);
        wait_until(|| alive(&pool) == 0);
        // Its callers do the work now.
        let mut done = false;
        pool.scope(|scope| scope.spawn(|| done = true));
        assert!(done);
        assert_eq!(pool.block_on(pool.spawn_future(Lane::Io, async { 3 })), 3);
        pool.resize_to(2).unwrap();
        assert_eq!(pool.num_threads(), 2);
        assert_eq!(pool.block_on(pool.spawn_future(Lane::Io, async { 4 })), 4);
        assert!(pool.resize_to(usize::MAX).is_err());
    });
}

#[test]
fn members_are_back_after_any_storm_of_sizes() {
    within_a_minute(|| {
        let pool = Arc::new(pool(2));
        for round in 0..100 {
            let resizers: Vec<_> = (0..3)
                .map(|seed| {
                    let pool = pool.clone();
                    thread::spawn(move || {
                        for step in 0..5 {
                            match (round + seed + step) % 3 {
                                0 => pool.resize_to(6).unwrap(),
                                1 => pool.resize_to(1).unwrap(),
                                _ => pool.resize_to(4).unwrap(),
                            }
                        }
                    })
                })
                .collect();
            pool.scope(|scope| (0..10).for_each(|_| scope.spawn(|| ())));
            resizers
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
            pool.resize_to(5).unwrap();
            assert_eq!(pool.broadcast(|_| index()).len(), 5, "round {round}");
        }
    });
}

#[test]
fn blocking_jobs_leave_the_cores_to_others() {
    within_a_minute(|| {
        let pool = pool(1);
        // More at once than any lane may run; none ends before all have begun.
        let meet = Arc::new(Barrier::new(40));
        let tasks: Vec<_> = (0..40)
            .map(|_| {
                let meet = meet.clone();
                pool.spawn_blocking(move || _ = meet.wait())
            })
            .collect();
        for task in tasks {
            pool.block_on(task);
        }
        assert_eq!(pool.metrics().total().blocking, 40);
        // The pool shrinks again.
        wait_until(|| alive(&pool) <= 6);
    });
}

#[test]
fn the_frame_runs_beside_blocking_jobs() {
    within_a_minute(|| {
        let pool = pool(1);
        let (sender, receiver) = mpsc::channel::<()>();
        let task = pool.spawn_blocking(move || receiver.recv().is_err());
        for _ in 0..100 {
            assert_eq!(
                pool.block_on(pool.spawn_future(Lane::Frame, async { 1 })),
                1
            );
        }
        drop(sender);
        assert!(pool.block_on(task));
    });
}

#[test]
fn more_blocking_jobs_than_threads_wait_for_one_another() {
    within_a_minute(|| {
        let pool = pool(1);
        let running = Arc::new(AtomicUsize::new(0));
        let most = Arc::new(AtomicUsize::new(0));
        let tasks: Vec<_> = (0..700)
            .map(|_| {
                let (running, most) = (running.clone(), most.clone());
                pool.spawn_blocking(move || {
                    let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                    most.fetch_max(now, Ordering::SeqCst);
                    thread::sleep(Duration::from_millis(5));
                    running.fetch_sub(1, Ordering::SeqCst);
                })
            })
            .collect();
        for task in tasks {
            pool.block_on(task);
        }
        let most = most.load(Ordering::SeqCst);
        assert!((2..=512).contains(&most), "{most}");
    });
}

#[test]
fn a_job_that_says_it_blocks_gives_its_seat_away() {
    within_a_minute(|| {
        for threads in [1, 2, 8] {
            let pool = pool(threads);
            let (sender, receiver) = mpsc::channel();
            let blocked: Vec<_> = (0..20)
                .map(|_| {
                    let (own, await_own) = mpsc::channel::<()>();
                    sender.send(own).unwrap();
                    pool.spawn_future(Lane::Frame, async move {
                        block_in_place(|| await_own.recv().unwrap());
                    })
                })
                .collect();
            // Runs though every thread's job blocks.
            let unblock = pool.spawn_future(Lane::Frame, async move {
                receiver.try_iter().for_each(|own| own.send(()).unwrap());
            });
            pool.block_on(unblock);
            for task in blocked {
                pool.block_on(task);
            }
        }
        assert_eq!(block_in_place(|| 5), 5, "outside of any pool");
    });
}

#[test]
fn who_is_enrolled_inside_of_another_pool_stays_a_member() {
    within_a_minute(|| {
        let (sender, receiver) = mpsc::channel();
        let _pool = ThreadPool::builder()
            .num_threads(2)
            .spawn_handler(move |thread| match thread.index() {
                0 => {
                    sender.send(thread).unwrap();
                    Ok(())
                }
                _ => thread.spawn().map(drop),
            })
            .build()
            .unwrap();
        pool(1).with_worker(|_| receiver.recv().unwrap().enroll());
        assert_eq!(index(), Some(0));
    });
}

#[cfg(any(target_os = "linux", target_os = "android", windows))]
#[cfg(not(any(miri, heartbeat_sim)))]
#[test]
fn a_thread_from_outside_is_busy_while_it_has_a_core() {
    within_a_minute(|| {
        let pool = pool(1);
        pool.with_worker(|_| ());
        // It has no name of its own.
        let name = format!("{:?}", thread::current().id());
        let busy = || {
            let metrics = pool.metrics();
            let mut workers = metrics.workers.iter();
            workers.find(|worker| worker.name == name).unwrap().busy
        };
        let before = busy();
        thread::sleep(Duration::from_millis(20));
        assert!(busy() - before < Duration::from_millis(20));
        while busy() - before < Duration::from_millis(50) {}
        // Others see it too.
        let seen = thread::scope(|scope| scope.spawn(busy).join().unwrap());
        assert!(seen - before >= Duration::from_millis(50));
    });
}

#[test]
fn metrics_count_what_was_done() {
    within_a_minute(|| {
        let pool = pool(2);
        let tasks: Vec<_> = Lane::ALL
            .into_iter()
            .flat_map(|lane| (0..10).map(move |_| lane))
            .map(|lane| {
                pool.spawn_future(lane, async {
                    thread::sleep(Duration::from_millis(1));
                })
            })
            .collect();
        for task in tasks {
            pool.block_on(task);
        }
        // A task is over a moment before its thread is done with it.
        wait_until(|| pool.metrics().total().jobs.iter().all(|jobs| *jobs >= 10));
        let metrics = pool.metrics();
        let total = metrics.total();
        assert!(total.busy >= Duration::from_millis(30), "{total:?}");
        assert_eq!(metrics.queued, [0; 3]);
        wait_until(|| pool.metrics().total().parks > total.parks || total.parks > 0);
        let stop = Arc::new(Barrier::new(2));
        let held = stop.clone();
        let blocked = pool.spawn_future(Lane::Background, async move {
            held.wait();
        });
        for _ in 0..5 {
            pool.spawn(Lane::Background, || ());
        }
        // Its budget of one is used up.
        assert_eq!(pool.budget(Lane::Background), 1);
        assert!(pool.metrics().queued[Lane::Background.index()] >= 5);
        stop.wait();
        pool.block_on(blocked);
    });
}

#[test]
fn settings_that_cannot_be_kept_are_told() {
    let error = |builder: heartbeat_pool::ThreadPoolBuilder| builder.build().unwrap_err();
    let threads = error(ThreadPool::builder().num_threads(1 << 20));
    assert!(matches!(threads, BuildError::Threads(_)));
    assert!(threads.to_string().contains("16384 at most"), "{threads}");
    let stack = error(ThreadPool::builder().stack_size(100));
    assert!(stack.to_string().contains("at least 16384"), "{stack}");
    let refused = error(
        ThreadPool::builder()
            .num_threads(2)
            .spawn_handler(|_| Err(std::io::Error::other("no more"))),
    );
    assert!(refused.to_string().contains("ask for fewer"), "{refused}");
    let name = error(
        ThreadPool::builder()
            .num_threads(1)
            .thread_name(|_| "a\0b".into()),
    );
    assert!(name.to_string().contains("thread_name"), "{name}");
}

/// More than a thread has by default.
#[test]
#[cfg_attr(miri, ignore = "an interpreter's stack has no end")]
fn threads_have_the_stack_that_was_asked_for() {
    fn deep(depth: usize) -> u8 {
        let block = std::hint::black_box([1_u8; 1 << 16]);
        if depth == 0 {
            return block[0];
        }
        deep(depth - 1).max(std::hint::black_box(&block)[0])
    }
    let pool = ThreadPool::builder().num_threads(1).stack_size(256 << 20);
    assert_eq!(pool.build().unwrap().install(|_| deep(200)), 1);
}

/// The first of so many is refused here: nobody has to start them all.
#[test]
#[cfg_attr(miri, ignore = "too many threads for an interpreter")]
fn a_pool_may_be_given_the_most_threads_and_no_more() {
    let builder = ThreadPool::builder().num_threads(0);
    let builder = builder.spawn_handler(|_| Err(ErrorKind::WouldBlock.into()));
    let pool = builder.build().unwrap();
    for (threads, kind) in [
        (16_384, ErrorKind::WouldBlock),
        (16_385, ErrorKind::InvalidInput),
    ] {
        assert_eq!(pool.resize_to(threads).unwrap_err().kind(), kind);
    }
}

/// Waits that began while the pool had threads, and must do its work themselves from then on.
#[test]
fn a_wait_goes_on_when_the_pool_loses_its_threads() {
    within_a_minute(|| {
        for round in 0..200 {
            let pool = Arc::new(pool(1 + round % 2));
            let (sender, receiver) = async_channel::bounded(1);
            let waiter = {
                let pool = pool.clone();
                thread::spawn(move || {
                    let first = pool.spawn_future(Lane::Io, async move {
                        receiver.recv().await.unwrap();
                        // Queued when nobody else is there.
                        heartbeat_pool::spawn_future(Lane::Background, async { 7 }).await
                    });
                    if round % 3 == 0 {
                        pool.scope(|scope| {
                            let task = scope.spawn_future(first);
                            pool.block_on(task)
                        })
                    } else {
                        pool.block_on(first)
                    }
                })
            };
            if round % 5 == 0 {
                thread::sleep(Duration::from_micros(100));
            }
            pool.resize_to(0).unwrap();
            sender.try_send(()).unwrap();
            assert_eq!(waiter.join().unwrap(), 7);
        }
    });
}

#[test]
fn a_thread_that_waits_gives_its_number_back() {
    within_a_minute(|| {
        let pool = Arc::new(pool(1));
        let (sender, receiver) = mpsc::channel();
        let inner = pool.clone();
        pool.install(move |worker| {
            assert_eq!(worker.slot(), Some(0));
            inner.spawn(Lane::Frame, move || {
                sender
                    .send(Worker::with_current(|own| own.unwrap().slot()))
                    .unwrap();
            });
            assert_eq!(block_in_place(|| receiver.recv().unwrap()), Some(0));
        });
    });
}
