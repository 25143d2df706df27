//! Bugs that other schedulers had, each tried here. What loom, Miri or a sanitizer must catch is
//! run by them as well.

mod common;

use common::{SIZES, pool, wait_until, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, ThreadPool, Worker};
use std::cell::{Cell, RefCell};
use std::future::pending;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::thread;
use std::time::{Duration, Instant};

/// rayon#739, #768, #929, #1011: a latch on its owner's stack is touched after it was set. Owners
/// here leave their stack frame, and their thread, the moment they are let go.
#[test]
fn nothing_is_touched_after_it_let_its_owner_go() {
    within_a_minute(|| {
        let pool = Arc::new(
            ThreadPool::builder()
                .num_threads(3)
                .beat(Duration::from_micros(1))
                .build()
                .unwrap(),
        );
        for _ in 0..200 {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    let pool = pool.clone();
                    thread::spawn(move || {
                        let pause = || thread::sleep(Duration::from_micros(30));
                        pool.join(pause, pause);
                        pool.scope(|scope| (0..3).for_each(|_| scope.spawn(pause)));
                        pool.block_on(
                            pool.spawn_future(Lane::Frame, async { thread::yield_now() }),
                        );
                    })
                })
                .collect();
            threads
                .into_iter()
                .for_each(|thread| thread.join().unwrap());
        }
    });
}

/// bevy#6603, #25248: a scope whose body panics while its tasks run must not let go of what they
/// borrow.
#[test]
fn a_scope_that_panics_waits_for_those_who_borrow() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let mut borrowed = [0_u64; 64];
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                pool.scope(|scope| {
                    for cell in &mut borrowed {
                        scope.spawn(move || {
                            thread::sleep(Duration::from_micros(20));
                            *cell += 1;
                        });
                    }
                    panic!("a planned panic");
                });
            }));
            assert!(result.is_err());
            assert_eq!(borrowed, [1; 64]);
        }
    });
}

/// async-executor#163: wakers called while the executor is dropped.
#[test]
fn tasks_may_be_woken_while_their_pool_ends() {
    within_a_minute(|| {
        for round in 0..100 {
            let pool = pool(1 + round % 3);
            let (senders, tasks): (Vec<_>, Vec<_>) = (0..20)
                .map(|_| {
                    let (sender, receiver) = async_channel::bounded::<()>(1);
                    let future = async move { _ = receiver.recv().await };
                    (sender, pool.spawn_future(Lane::Io, future))
                })
                .unzip();
            let waker = thread::spawn(move || {
                for sender in senders {
                    let _ = sender.try_send(());
                }
            });
            tasks.into_iter().for_each(heartbeat_pool::Task::detach);
            drop(pool);
            waker.join().unwrap();
        }
    });
}

/// bevy#892, #2725, #10032, rayon#967: waits inside of waits, on one thread.
#[test]
fn nested_waits_of_all_kinds_end_on_one_thread() {
    fn nest(pool: &Arc<ThreadPool>, depth: usize) -> usize {
        if depth == 0 {
            return 1;
        }
        let inner = pool.clone();
        match depth % 4 {
            0 => pool
                .block_on(pool.spawn_future(Lane::Frame, async move { nest(&inner, depth - 1) })),
            1 => {
                let sum = AtomicUsize::new(0);
                pool.scope(|scope| {
                    let sum = &sum;
                    scope.spawn(move || {
                        sum.fetch_add(nest(&inner, depth - 1), Ordering::Relaxed);
                    });
                });
                sum.into_inner()
            }
            2 => pool.join(|| nest(&inner, depth - 1), || 0).0,
            _ => pool.scope(|scope| {
                let task = scope.spawn_future(async move { nest(&inner, depth - 1) });
                heartbeat_pool::block_on(task)
            }),
        }
    }
    within_a_minute(|| {
        for threads in [0, 1, 2] {
            let pool = Arc::new(pool(threads));
            let inner = pool.clone();
            for lane in Lane::ALL {
                let inner = inner.clone();
                let task = pool.spawn_future(lane, async move { nest(&inner, 24) });
                assert_eq!(pool.block_on(task), 1);
            }
        }
    });
}

/// rayon#592, #1174: a lock held across a wait, whose thread then runs a stranger that wants it.
#[test]
fn a_lock_may_be_held_across_a_wait() {
    within_a_minute(|| {
        for threads in [1, 2, 8] {
            let pool = pool(threads);
            let lock = Mutex::new(0);
            let (pool, lock) = (&pool, &lock);
            pool.scope(|scope| {
                for turn in 0..100 {
                    scope.spawn(move || {
                        let mut count = lock.lock().unwrap();
                        let work = || thread::sleep(Duration::from_micros(20));
                        if turn % 2 == 0 {
                            pool.join(work, work);
                        } else {
                            pool.scope(|inner| (0..3).for_each(|_| inner.spawn(work)));
                        }
                        *count += 1;
                    });
                }
            });
            assert_eq!(*lock.lock().unwrap(), 100);
        }
    });
}

/// The same with a thread-local borrow, which meets itself where a wait runs strangers.
#[test]
fn a_thread_local_may_be_borrowed_across_a_wait() {
    thread_local!(static STATE: RefCell<u32> = const { RefCell::new(0) });
    within_a_minute(|| {
        let pool = pool(2);
        let pool = &pool;
        pool.scope(|scope| {
            for _ in 0..200 {
                scope.spawn(move || {
                    STATE.with(|state| {
                        let mut state = state.borrow_mut();
                        let work = || thread::sleep(Duration::from_micros(20));
                        pool.join(work, work);
                        *state += 1;
                    });
                });
            }
        });
    });
}

/// tokio#4730, #4941: two tasks that keep waking each other starve a third.
#[test]
fn tasks_that_wake_each_other_starve_nobody() {
    within_a_minute(|| {
        let pool = pool(1);
        let stop = Arc::new(AtomicBool::new(false));
        let (a, from_b) = async_channel::bounded(1);
        let (b, from_a) = async_channel::bounded(1);
        let player = |to: async_channel::Sender<()>, from: async_channel::Receiver<()>| {
            let stop = stop.clone();
            pool.spawn_future(Lane::Frame, async move {
                while !stop.load(Ordering::Relaxed) {
                    if to.send(()).await.is_err() || from.recv().await.is_err() {
                        break;
                    }
                }
            })
        };
        let players = [player(a, from_a), player(b, from_b)];
        for _ in 0..100 {
            for lane in Lane::ALL {
                // From outside, and from a task of its own.
                pool.block_on(pool.spawn_future(lane, async {}));
            }
        }
        stop.store(true, Ordering::Relaxed);
        drop(players);
    });
}

/// bevy#3310, #10207: what is not `Send` is dropped on another thread than its own.
#[test]
fn a_local_future_is_dropped_on_its_own_thread() {
    struct Here(thread::ThreadId, Rc<Cell<usize>>);
    impl Drop for Here {
        fn drop(&mut self) {
            assert_eq!(thread::current().id(), self.0);
            self.1.set(self.1.get() + 1);
        }
    }
    within_a_minute(|| {
        let mailbox = Arc::new(Mailbox::new());
        let dropped = Rc::new(Cell::new(0));
        let here = || Here(thread::current().id(), dropped.clone());
        let held = here();
        let ends = mailbox.spawn_local(async move { drop(held) });
        let held = here();
        let cancelled = mailbox.spawn_local(async move {
            let _held = held;
            pending::<()>().await;
        });
        let held = here();
        mailbox
            .spawn_local(async move {
                let _held = held;
                pending::<()>().await;
            })
            .detach();
        while mailbox.try_tick() {}
        drop((ends, cancelled));
        while mailbox.try_tick() {}
        mailbox.close();
        assert_eq!(dropped.get(), 3);
    });
}

/// tokio#593: the pool is used by a thread-local's destructor, on a pool thread and on others.
#[test]
fn thread_local_destructors_may_use_the_pool() {
    static DROPS: AtomicUsize = AtomicUsize::new(0);
    struct UsesPool(Arc<ThreadPool>);
    impl Drop for UsesPool {
        fn drop(&mut self) {
            let pool = &self.0;
            assert_eq!(pool.join(|| 1, || 2), (1, 2));
            let mut done = false;
            pool.scope(|scope| scope.spawn(|| done = true));
            assert!(done);
            assert_eq!(pool.block_on(pool.spawn_future(Lane::Io, async { 3 })), 3);
            pool.spawn(Lane::Background, || ());
            pool.for_each(&mut [1, 2, 3], |item| *item += 1);
            DROPS.fetch_add(1, Ordering::SeqCst);
        }
    }
    thread_local!(static LOCAL: RefCell<Option<UsesPool>> = const { RefCell::new(None) });
    within_a_minute(|| {
        // It is never dropped by one of its own threads, for this one holds it too.
        let pool = Arc::new(pool(2));
        let keep = pool.clone();
        thread::spawn(move || {
            LOCAL.set(Some(UsesPool(keep.clone())));
            // After the local, so destroyed before it: the pool's own locals are gone by then.
            assert_eq!(keep.join(|| 1, || 2), (1, 2));
        })
        .join()
        .unwrap();
        let keep = pool.clone();
        thread::spawn(move || {
            assert_eq!(keep.join(|| 1, || 2), (1, 2));
            LOCAL.set(Some(UsesPool(keep)));
        })
        .join()
        .unwrap();
        assert_eq!(DROPS.load(Ordering::SeqCst), 2);

        // On a thread of the pool, which ends when the pool shrinks.
        let keep = pool.clone();
        pool.resize_to(10).unwrap();
        let keeps = move || LOCAL.set(Some(UsesPool(keep)));
        pool.scope(|scope| assert!(scope.try_spawn_on(9, keeps)));
        pool.resize_to(2).unwrap();
        wait_until(|| {
            pool.scope(|scope| scope.spawn(|| ()));
            // Some spares are kept for a while; without threads none is.
            pool.resize_to(0).unwrap();
            DROPS.load(Ordering::SeqCst) == 3
        });
    });
}

/// Forte's beta.1 and others: a seat's number is used again while somebody still means its last
/// owner.
#[test]
fn a_numbers_next_owner_gets_nothing_of_its_last() {
    within_a_minute(|| {
        let pool = Arc::new(pool(1));
        let stop = Arc::new(AtomicBool::new(false));
        let sizes = {
            let (pool, stop) = (pool.clone(), stop.clone());
            thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    pool.resize_to(8).unwrap();
                    pool.resize_to(0).unwrap();
                }
            })
        };
        let (ran, strayed) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let end = Instant::now() + Duration::from_secs(1);
        while Instant::now() < end {
            let contexts = pool.broadcast(|context| {
                let on = Worker::with_current(|worker| worker.and_then(Worker::index));
                ran.fetch_add(1, Ordering::Relaxed);
                // Without threads the caller makes the call.
                if on.is_some_and(|on| on != context.index()) {
                    strayed.fetch_add(1, Ordering::Relaxed);
                }
            });
            assert!(contexts.len() <= 8);
        }
        stop.store(true, Ordering::Relaxed);
        sizes.join().unwrap();
        assert!(ran.into_inner() > 0);
        assert_eq!(strayed.into_inner(), 0);
    });
}

/// bevy#12912 and others: a pool ends with work of every kind in it, queued, running, pending.
#[test]
fn a_pool_ends_with_anything_in_it() {
    within_a_minute(|| {
        for threads in SIZES {
            let token = Arc::new(());
            let pool = pool(threads);
            let hold = || token.clone();
            for lane in Lane::ALL {
                for _ in 0..20 {
                    let held = hold();
                    pool.spawn(lane, move || drop(held));
                    let held = hold();
                    pool.spawn_future(lane, async move {
                        let _held = held;
                        pending::<()>().await;
                    })
                    .detach();
                    let held = hold();
                    pool.spawn_future(lane, async move {
                        let _held = held;
                        loop {
                            heartbeat_pool::yield_task().await;
                        }
                    })
                    .detach();
                }
            }
            for _ in 0..20 {
                let held = hold();
                pool.spawn_blocking(move || drop(held)).detach();
            }
            if threads > 0 {
                let held = hold();
                pool.spawn_on(0, move || drop(held));
            }
            drop(pool);
            assert_eq!(Arc::strong_count(&token), 1, "{threads} threads");
        }
    });
}

/// A pool dropped by one of its own threads can't wait for that one.
#[test]
fn a_pool_may_be_dropped_by_its_own_job() {
    within_a_minute(|| {
        for _ in 0..50 {
            let pool = Arc::new(pool(2));
            let (sender, receiver) = mpsc::channel();
            let last = pool.clone();
            let (go, started) = mpsc::channel::<()>();
            pool.spawn(Lane::Frame, move || {
                started.recv().unwrap();
                drop(last);
                sender.send(()).unwrap();
            });
            drop(pool);
            go.send(()).unwrap();
            receiver.recv().unwrap();
        }
    });
}
