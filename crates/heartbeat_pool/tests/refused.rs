//! Threads that the system refuses, and those that are run where they don't belong.

mod common;

use common::{pool, wait_until, within_a_minute};
use heartbeat_pool::{BuildError, Lane, ThreadBuilder, ThreadPool, Worker};
use std::io::{self, ErrorKind};
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::Duration;

/// A handler that starts threads as long as `left` lasts.
fn limited(
    left: Arc<AtomicUsize>,
) -> impl Fn(ThreadBuilder) -> io::Result<()> + Send + Sync + 'static {
    move |thread| {
        let less = |left: usize| left.checked_sub(1);
        left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less)
            .map_err(|_| io::Error::from(ErrorKind::WouldBlock))?;
        thread.spawn().map(drop)
    }
}

/// A task whose thread waits for another one, which lies in the queue behind it.
fn waits_for_another(pool: &ThreadPool) -> u32 {
    pool.block_on(pool.spawn_future(Lane::Frame, async {
        heartbeat_pool::block_on(heartbeat_pool::spawn_future(Lane::Frame, async { 5 }))
    }))
}

#[test]
fn who_waits_helps_where_there_is_no_spare_thread_to_be_had() {
    within_a_minute(|| {
        let left = Arc::new(AtomicUsize::new(1));
        let pool = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(limited(left))
            .build()
            .unwrap();
        for _ in 0..100 {
            assert_eq!(waits_for_another(&pool), 5);
        }
    });
}

/// The only thread is held by a job that waits for a queued one in a way that the pool knows
/// nothing of.
#[test]
fn a_thread_that_was_refused_is_asked_for_again_while_somebody_waits() {
    within_a_minute(|| {
        let left = Arc::new(AtomicUsize::new(1));
        let pool = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(limited(left.clone()))
            .build()
            .unwrap();
        let (sender, receiver) = mpsc::channel();
        let first = pool.spawn_future(Lane::Frame, async move { receiver.recv().unwrap() });
        pool.spawn(Lane::Frame, move || sender.send(3).unwrap());
        thread::scope(|threads| {
            let waits = threads.spawn(|| pool.block_on(first));
            // Let it be refused first.
            thread::sleep(Duration::from_millis(30));
            left.store(8, Ordering::SeqCst);
            assert_eq!(waits.join().unwrap(), 3);
        });
    });
}

#[test]
fn a_pool_runs_with_the_threads_that_it_got_and_gets_the_others_later() {
    static POOL: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let left = Arc::new(AtomicUsize::new(2));
        let error = ThreadPool::builder()
            .num_threads(4)
            .spawn_handler(limited(left.clone()))
            .build_static(&POOL)
            .unwrap_err();
        let BuildError::Spawn {
            wanted, started, ..
        } = error
        else {
            panic!("{error}");
        };
        assert_eq!((wanted, started), (4, 2));
        assert!(error.to_string().contains("2 of the pool's 4 threads"));
        assert_eq!(POOL.num_threads(), 2);
        assert_eq!(POOL.broadcast(|_| ()).len(), 2);
        assert_eq!(waits_for_another(&POOL), 5);
        left.store(100, Ordering::SeqCst);
        wait_until(|| {
            waits_for_another(&POOL);
            POOL.num_threads() == 4
        });
        assert_eq!(POOL.broadcast(|_| ()).len(), 4);
    });
}

#[test]
fn a_pool_that_got_no_thread_is_one_without() {
    static POOL: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let none = Arc::new(AtomicUsize::new(0));
        let built = ThreadPool::builder()
            .num_threads(4)
            .spawn_handler(limited(none))
            .build_static(&POOL);
        assert!(built.is_err());
        assert_eq!(POOL.num_threads(), 0);
        assert_eq!(waits_for_another(&POOL), 5);
    });
}

/// While nobody waits for one, whoever queues a job for them asks.
#[test]
fn lower_threads_that_were_refused_are_asked_for_by_who_needs_them() {
    type Spawn = fn(&ThreadPool);
    let spawns: [Spawn; 2] = [
        |pool| pool.spawn(Lane::Io, || ()),
        |pool| pool.spawn_future(Lane::Io, async {}).detach(),
    ];
    for spawn in spawns {
        within_a_minute(move || {
            // One for the frame, and no lower one.
            let left = Arc::new(AtomicUsize::new(1));
            let builder = ThreadPool::builder().num_threads(1).lower_threads(true);
            let pool = builder.spawn_handler(limited(left.clone())).build();
            let pool = pool.unwrap();
            assert_eq!(pool.num_lower_threads(), Some(0));
            left.store(100, Ordering::SeqCst);
            // Not at once: the system has just refused it.
            wait_until(|| {
                spawn(&pool);
                thread::sleep(Duration::from_millis(1));
                pool.num_lower_threads() == Some(1)
            });
        });
    }
}

/// Frame threads fit, threads of lower priority don't.
#[test]
fn jobs_of_lower_lanes_run_on_frame_threads_where_there_are_no_lower_ones() {
    within_a_minute(|| {
        let left = Arc::new(AtomicUsize::new(2));
        let pool = ThreadPool::builder()
            .num_threads(2)
            .lower_threads(true)
            .spawn_handler(limited(left.clone()))
            .build()
            .unwrap();
        let name = || async { thread::current().name().map(str::to_owned) };
        for lane in [Lane::Io, Lane::Background] {
            let name = pool.block_on(pool.spawn_future(lane, name())).unwrap();
            assert!(name.starts_with("heartbeat"), "{name}");
        }
        left.store(100, Ordering::SeqCst);
        wait_until(|| {
            let name = pool.block_on(pool.spawn_future(Lane::Io, name())).unwrap();
            name.starts_with("low")
        });
    });
}

/// A pool whose only thread is handed over.
fn handed_over() -> (ThreadPool, ThreadBuilder) {
    let first = Arc::new(Mutex::new(None));
    let kept = first.clone();
    let pool = ThreadPool::builder()
        .num_threads(1)
        .spare_threads(false)
        .spawn_handler(move |thread| {
            *kept.lock().unwrap() = Some(thread);
            Ok(())
        })
        .build()
        .unwrap();
    let thread = first.lock().unwrap().take().unwrap();
    (pool, thread)
}

#[test]
fn a_thread_of_one_pool_is_refused_by_another() {
    within_a_minute(|| {
        let (first, thread) = handed_over();
        thread.enroll();
        let (second, thread) = handed_over();
        let refused = panic::catch_unwind(AssertUnwindSafe(|| thread.run())).unwrap_err();
        let message = refused.downcast_ref::<&str>().unwrap();
        assert!(message.contains("belongs to a pool already"), "{message}");
        drop(second);
        assert_eq!(heartbeat_pool::join(|| 1, || 2), (1, 2));
        assert_eq!(
            Worker::with_current(|worker| worker.unwrap().index()),
            Some(0)
        );
        drop(first);
    });
}

/// A thread that is inside of a pool runs as one of another, until that ends.
#[test]
fn a_thread_of_one_pool_cannot_be_enrolled_in_another() {
    within_a_minute(|| {
        let (own, (other, thread)) = (pool(1), handed_over());
        own.install(move |_| {
            let enroll = AssertUnwindSafe(|| thread.enroll());
            assert!(panic::catch_unwind(enroll).is_err());
            assert!(!other.is_current());
        });
    });
}

#[test]
fn a_seat_outlives_what_a_thread_runs_as_while_it_is_taken() {
    within_a_minute(|| {
        let (first, _) = handed_over();
        let (second, thread) = handed_over();
        first.with_worker(|worker| {
            let ender = thread::spawn(|| drop(second));
            thread.run();
            ender.join().unwrap();
            assert_eq!(worker.join(|_| 1, |_| 2), (1, 2));
            assert_eq!(first.join(|| 1, || 2), (1, 2));
        });
    });
}

#[test]
fn a_thread_that_the_spawn_handler_drops_is_an_error() {
    within_a_minute(|| {
        let drops = |thread: ThreadBuilder| {
            drop(thread);
            Ok(())
        };
        let refused = ThreadPool::builder().num_threads(1).spawn_handler(drops);
        let error = refused.build().unwrap_err();
        let reason = std::error::Error::source(&error).unwrap().to_string();
        assert!(reason.contains("dropped the thread"), "{reason}");
    });
}

/// It has affairs of its own, and searches for nothing.
#[test]
fn what_a_thread_was_started_for_is_done_though_it_is_enrolled() {
    within_a_minute(|| {
        let enrolled = Arc::new(Mutex::new(Vec::new()));
        let known = enrolled.clone();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(move |builder| {
                let mut known = known.lock().unwrap();
                if known.len() > 1 {
                    return builder.spawn().map(drop);
                }
                known.push(thread::spawn(move || builder.enroll()));
                Ok(())
            })
            .build()
            .unwrap();
        let first = enrolled.lock().unwrap().remove(0);
        first.join().unwrap();
        // It asks again as it waits.
        assert_eq!(pool.install(|_| 5), 5);
    });
}

#[test]
fn a_pool_that_is_to_have_no_threads_asks_for_none_that_was_refused() {
    let starts = Arc::new(AtomicUsize::new(0));
    let known = starts.clone();
    let pool = ThreadPool::builder()
        .num_threads(0)
        .spawn_handler(move |_| {
            known.fetch_add(1, Ordering::SeqCst);
            Err(ErrorKind::WouldBlock.into())
        })
        .build()
        .unwrap();
    pool.resize_to(2).unwrap_err();
    pool.resize_to(0).unwrap();
    let before = starts.load(Ordering::SeqCst);
    for _ in 0..4 {
        thread::sleep(Duration::from_millis(15));
        pool.spawn(Lane::Frame, || ());
    }
    assert_eq!(starts.load(Ordering::SeqCst), before);
    while pool.tick() {}
}

/// A handler that says of the first thread that it starts, and keeps it. As it is called for the one
/// of `dropped_at` it drops that.
fn late(
    kept: &Arc<Mutex<Option<ThreadBuilder>>>,
    dropped_at: usize,
) -> impl Fn(ThreadBuilder) -> io::Result<()> + Send + Sync + 'static {
    let (kept, starts) = (kept.clone(), AtomicUsize::new(0));
    move |thread| {
        let start = starts.fetch_add(1, Ordering::SeqCst);
        if start == 0 {
            *kept.lock().unwrap() = Some(thread);
            return Ok(());
        }
        if start == dropped_at {
            let first = kept.lock().unwrap().take();
            drop(first);
        }
        thread.spawn().map(drop)
    }
}

#[test]
fn a_thread_that_is_dropped_later_is_counted_on_by_nobody() {
    within_a_minute(|| {
        let kept = Arc::default();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(late(&kept, usize::MAX))
            .build()
            .unwrap();
        drop(kept.lock().unwrap().take());
        assert_eq!(pool.num_threads(), 0);
        thread::sleep(Duration::from_millis(15));
        let (done, is_done) = mpsc::channel();
        pool.spawn(Lane::Frame, move || done.send(()).unwrap());
        is_done.recv().unwrap();
        assert_eq!(pool.num_threads(), 1);
    });
}

fn asks_until_both_are_there(pool: &ThreadPool) {
    wait_until(|| {
        pool.install(|_| thread::sleep(Duration::from_millis(1)));
        pool.broadcast(|context| context.index()) == [0, 1]
    });
}

/// Nobody else comes for it.
#[test]
fn without_spare_threads_one_that_is_dropped_beside_others_is_asked_for_again() {
    within_a_minute(|| {
        let kept = Arc::default();
        let pool = ThreadPool::builder()
            .num_threads(2)
            .spare_threads(false)
            .spawn_handler(late(&kept, usize::MAX))
            .build()
            .unwrap();
        drop(kept.lock().unwrap().take());
        asks_until_both_are_there(&pool);
    });
}

/// That one comes later.
#[test]
fn a_spare_thread_does_not_stand_for_one_that_is_dropped_as_it_starts() {
    within_a_minute(|| {
        let kept = Arc::default();
        let pool = ThreadPool::builder()
            .num_threads(2)
            .spawn_handler(late(&kept, 2))
            .build()
            .unwrap();
        let (go_on, is_to_go_on) = mpsc::channel();
        pool.spawn(Lane::Frame, move || is_to_go_on.recv().unwrap());
        // On the spare thread, for the first one is kept.
        pool.install(|_| ());
        go_on.send(()).unwrap();
        asks_until_both_are_there(&pool);
    });
}

#[test]
fn a_thread_that_waits_elsewhere_does_its_own_pools_work_where_a_spare_one_is_refused() {
    within_a_minute(|| {
        let own = ThreadPool::builder()
            .num_threads(1)
            .spawn_handler(limited(Arc::new(AtomicUsize::new(1))))
            .build()
            .unwrap();
        let other = Arc::new(pool(1));
        let (sender, receiver) = async_channel::bounded::<()>(1);
        let (done, is_done) = mpsc::channel();
        own.spawn(Lane::Frame, move || {
            other.block_on(receiver.recv()).unwrap();
            done.send(()).unwrap();
        });
        thread::sleep(Duration::from_millis(50));
        own.spawn(Lane::Frame, move || sender.try_send(()).unwrap());
        is_done.recv().unwrap();
    });
}

/// A thread of the pool waits for what is queued behind it, `before` which comes a while later.
fn held_by_a_job_that_waits(pool: &ThreadPool, before: impl FnOnce()) {
    let (sender, receiver) = mpsc::channel();
    let first = pool.spawn_future(Lane::Frame, async move { receiver.recv().unwrap() });
    thread::sleep(Duration::from_millis(20));
    thread::scope(|threads| {
        let waits = threads.spawn(|| pool.block_on(first));
        pool.spawn(Lane::Frame, move || sender.send(3).unwrap());
        thread::sleep(Duration::from_millis(30));
        before();
        assert_eq!(waits.join().unwrap(), 3);
    });
}

/// A pool that keeps the builder of its `nth` start, which it says it has refused or not.
fn keeps(nth: usize, is_error: bool, kept: Arc<Mutex<Option<ThreadBuilder>>>) -> ThreadPool {
    let starts = AtomicUsize::new(0);
    ThreadPool::builder()
        .num_threads(1)
        .spawn_handler(move |thread| {
            let start = starts.fetch_add(1, Ordering::SeqCst);
            if start == nth {
                *kept.lock().unwrap() = Some(thread);
                return if is_error {
                    Err(ErrorKind::WouldBlock.into())
                } else {
                    Ok(())
                };
            }
            thread.spawn().map(drop)
        })
        .build()
        .unwrap()
}

#[test]
fn a_spare_thread_that_is_refused_and_kept_is_asked_for_again() {
    within_a_minute(|| {
        let kept = Arc::default();
        let pool = keeps(1, true, Arc::clone(&kept));
        held_by_a_job_that_waits(&pool, || ());
        drop(kept.lock().unwrap().take());
    });
}

#[test]
fn a_spare_thread_that_is_dropped_later_is_asked_for_again() {
    within_a_minute(|| {
        let kept = Arc::default();
        let pool = keeps(1, false, Arc::clone(&kept));
        held_by_a_job_that_waits(&pool, || {
            wait_until(|| kept.lock().unwrap().is_some());
            let spare = kept.lock().unwrap().take();
            drop(spare);
        });
    });
}

#[test]
fn the_frame_does_what_is_queued_for_the_last_lower_thread_that_is_dropped() {
    within_a_minute(|| {
        let kept = Arc::new(Mutex::new(None));
        let keeper = kept.clone();
        let pool = ThreadPool::builder()
            .num_threads(1)
            .lower_threads(true)
            .spawn_handler(move |thread| {
                if !thread.name().starts_with("low") {
                    return thread.spawn().map(drop);
                }
                let mut kept = keeper.lock().unwrap();
                if kept.is_some() {
                    return Err(ErrorKind::WouldBlock.into());
                }
                *kept = Some(thread);
                Ok(())
            })
            .build()
            .unwrap();
        let (done, is_done) = mpsc::channel();
        pool.spawn(Lane::Io, move || done.send(()).unwrap());
        thread::sleep(Duration::from_secs(1));
        assert!(is_done.try_recv().is_err());
        let thread = kept.lock().unwrap().take();
        drop(thread);
        is_done.recv().unwrap();
    });
}
