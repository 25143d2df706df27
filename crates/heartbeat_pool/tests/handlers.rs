//! The program's own code that a pool calls: what it may do, and when it goes.

mod common;

use common::{pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, ThreadPool, Worker, block_on, spawn_future};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex, mpsc};
use std::thread;
use std::time::Duration;

#[test]
fn a_start_handler_may_wait_for_work_of_its_pool() {
    within_a_minute(|| {
        for threads in [1, 2, 3] {
            let wait = |index| {
                if index == 0 {
                    block_on(spawn_future(Lane::Frame, async {}));
                }
            };
            let builder = ThreadPool::builder()
                .num_threads(threads)
                .start_handler(wait);
            let pool = builder.build().unwrap();
            pool.block_on(pool.spawn_future(Lane::Frame, async {}));
        }
    });
}

#[test]
fn nobody_relies_on_a_thread_that_still_starts() {
    within_a_minute(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let receiver = Mutex::new(receiver);
        let starts = Arc::new(AtomicBool::new(false));
        let seen = starts.clone();
        let wait = move |index| {
            if index == 1 {
                seen.store(true, Ordering::Relaxed);
                receiver.lock().unwrap().recv().unwrap();
            }
        };
        let builder = ThreadPool::builder().num_threads(2).start_handler(wait);
        let pool = builder.build().unwrap();
        wait_until(|| starts.load(Ordering::Relaxed));
        // The other one is asleep by now.
        thread::sleep(Duration::from_millis(300));
        pool.spawn(Lane::Frame, move || sender.send(()).unwrap());
        assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
    });
}

#[test]
fn handlers_go_with_their_pool() {
    within_a_minute(|| {
        let (sender, receiver) = mpsc::channel::<()>();
        let keep = || {
            let sender = sender.clone();
            move || _ = sender.clone()
        };
        let (panics, starts, exits, names) = (keep(), keep(), keep(), keep());
        let builder = ThreadPool::builder()
            .num_threads(1)
            .panic_handler(move |_| panics())
            .start_handler(move |_| starts())
            .exit_handler(move |_| exits())
            .thread_name(move |index| {
                names();
                index.to_string()
            });
        let pool = builder.build().unwrap();
        drop(sender);
        // This thread has a seat from now on.
        pool.join(|| (), || ());
        drop(pool);
        assert_eq!(receiver.iter().count(), 0);
    });
}

#[test]
fn an_exit_handler_is_called_for_the_thread_that_ends_its_pool() {
    within_a_minute(|| {
        let (sender, receiver) = mpsc::channel();
        let builder = ThreadPool::builder()
            .num_threads(2)
            .exit_handler(move |index| sender.send(index).unwrap());
        let pool = Arc::new(builder.build().unwrap());
        let own = pool.clone();
        let (go, may_go) = mpsc::channel::<()>();
        pool.spawn(Lane::Frame, move || {
            may_go.recv().unwrap();
            drop(own);
        });
        drop(pool);
        go.send(()).unwrap();
        let mut indices: Vec<usize> = receiver.iter().filter(|index| *index < 2).collect();
        indices.sort_unstable();
        assert_eq!(indices, [0, 1]);
    });
}

#[test]
fn a_static_pool_is_built_while_another_one_names_its_threads() {
    static A: ThreadPool = ThreadPool::new();
    static B: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let name = |index| {
            let inner = ThreadPool::builder().num_threads(1);
            inner.build_static_if_unsized(&B).unwrap();
            format!("a{index}")
        };
        let outer = ThreadPool::builder().num_threads(2).thread_name(name);
        outer.build_static(&A).unwrap();
        assert_eq!((A.num_threads(), B.num_threads()), (2, 1));
    });
}

#[test]
fn a_handler_may_ask_for_the_pool_that_is_being_built() {
    static POOL: ThreadPool = ThreadPool::new();
    within_a_minute(|| {
        let builder = ThreadPool::builder()
            .num_threads(2)
            .spawn_handler(|thread| {
                ThreadPool::builder()
                    .build_static_if_unsized(&POOL)
                    .unwrap();
                thread.spawn().map(drop)
            });
        builder.build_static(&POOL).unwrap();
        assert_eq!(POOL.broadcast(|context| context.index()), [0, 1]);
    });
}

/// A spare thread that ends has its index until its exit handler is over.
#[test]
fn no_two_threads_between_their_handlers_have_one_index() {
    within_a_minute(|| {
        let there = Arc::new(Mutex::new(BTreeSet::new()));
        let twice = Arc::new(AtomicUsize::new(0));
        let (comes, goes, counts) = (there.clone(), there.clone(), twice.clone());
        let pool = ThreadPool::builder()
            .num_threads(1)
            .start_handler(move |index| {
                if !comes.lock().unwrap().insert(index) {
                    counts.fetch_add(1, Ordering::SeqCst);
                }
            })
            .exit_handler(move |index| {
                thread::sleep(Duration::from_millis(5));
                goes.lock().unwrap().remove(&index);
            })
            .build()
            .unwrap();
        for _ in 0..50 {
            let barrier = Arc::new(Barrier::new(8));
            let wait = |barrier: Arc<Barrier>| pool.spawn_blocking(move || _ = barrier.wait());
            let calls: Vec<_> = (0..8).map(|_| wait(barrier.clone())).collect();
            calls.into_iter().for_each(|call| pool.block_on(call));
        }
        assert_eq!(twice.load(Ordering::SeqCst), 0);
    });
}

#[test]
fn what_a_thread_does_for_its_own_pool_is_inside_of_that() {
    within_a_minute(|| {
        let (own, other) = (Arc::new(pool(1)), pool(1));
        let (sender, receiver) = async_channel::bounded(1);
        let name = own.install(|worker| {
            worker.try_spawn_on(0, move || {
                let index = Worker::with_current(|worker| worker.and_then(Worker::index));
                sender.try_send(index).unwrap();
            });
            other.block_on(receiver.recv())
        });
        assert_eq!(name, Ok(Some(0)));
    });
}

#[test]
fn of_two_that_build_one_static_pool_at_once_one_does() {
    static POOLS: [ThreadPool; 200] = [const { ThreadPool::new() }; 200];
    within_a_minute(|| {
        let (here, built) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let pools = &POOLS[..if cfg!(miri) { 2 } else { 200 }];
        // Both come to each pool at about the same time, some of them while it is being built.
        let build_all = || {
            for (nth, pool) in pools.iter().enumerate() {
                here.fetch_add(1, Ordering::Relaxed);
                wait_until(|| here.load(Ordering::Relaxed) >= 2 * (nth + 1));
                let builder = ThreadPool::builder().num_threads(0);
                let is_first = builder.build_static_if_unsized(pool).unwrap();
                built.fetch_add(usize::from(is_first), Ordering::Relaxed);
            }
        };
        thread::scope(|scope| {
            scope.spawn(build_all);
            scope.spawn(build_all);
        });
        assert_eq!(built.into_inner(), pools.len());
    });
}

/// The program has started it, so there is no handle to join.
#[test]
fn a_pool_waits_for_the_exit_handler_of_a_thread_that_was_one_too_many() {
    within_a_minute(|| {
        let (ends, end) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let (may_go, has_ended) = (Mutex::new(may_go), Arc::new(AtomicBool::new(false)));
        let ended = has_ended.clone();
        let exit = move |index| {
            if index == 1 {
                ends.send(()).unwrap();
                may_go.lock().unwrap().recv().unwrap();
                ended.store(true, Ordering::Relaxed);
            }
        };
        let builder = ThreadPool::builder().num_threads(2).spare_threads(false);
        let builder = builder.exit_handler(exit).spawn_handler(|thread| {
            let run = move || thread.run();
            thread::Builder::new().spawn(run).map(drop)
        });
        let pool = builder.build().unwrap();
        pool.resize_to(1).unwrap();
        end.recv().unwrap();
        let goes = thread::spawn(move || {
            thread::sleep(Duration::from_millis(20));
            go.send(()).unwrap();
        });
        drop(pool);
        assert!(has_ended.load(Ordering::Relaxed));
        goes.join().unwrap();
    });
}
