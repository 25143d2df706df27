//! Work that goes on and on, until something has run that lies in the queue behind it.

mod common;

use common::{Flag, pool, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, Order, ThreadPool, Worker};
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

/// Has each of `waits` wait in pools of some sizes, for a task of each lane.
fn each_ends(waits: &[fn(&ThreadPool, &Flag)]) {
    for threads in [1, 2, 4] {
        for lane in Lane::ALL {
            for wait in waits {
                let (pool, flag) = (pool(threads), Flag::default());
                thread::scope(|scope| {
                    scope.spawn(|| flag.set_later(&pool, lane));
                    wait(&pool, &flag);
                });
            }
        }
    }
}

fn spawn_more_than_there_are_threads<'scope>(
    scope: &'scope heartbeat_pool::Scope<'scope, '_>,
    flag: &'scope Flag,
) {
    for _ in 0..=scope.num_threads() {
        scope.spawn_future(flag.wait()).detach();
    }
}

#[test]
fn a_scope_of_futures_that_wake_themselves() {
    within_a_minute(|| {
        each_ends(&[
            |pool, flag| pool.scope(|scope| spawn_more_than_there_are_threads(scope, flag)),
            |pool, flag| {
                pool.install(|worker| {
                    worker.scope(|scope| spawn_more_than_there_are_threads(scope, flag));
                });
            },
            |pool, flag| {
                pool.scope_elsewhere(Order::NewestFirst, |scope| {
                    spawn_more_than_there_are_threads(scope, flag);
                });
            },
            |pool, flag| {
                pool.scope_elsewhere(Order::OldestFirst, |scope| {
                    spawn_more_than_there_are_threads(scope, flag);
                });
            },
        ]);
    });
}

#[test]
fn a_future_that_wakes_itself_is_blocked_on() {
    within_a_minute(|| {
        each_ends(&[
            |pool, flag| pool.block_on(flag.wait()),
            |pool, flag| {
                let inner = flag.clone();
                let task = pool.spawn_future(Lane::Background, async move {
                    Worker::with_current(|worker| worker.unwrap().block_on(inner.wait()));
                });
                pool.block_on(task);
            },
            |pool, flag| pool.install(|worker| worker.block_on(flag.wait())),
            |pool, flag| {
                let inner = flag.clone();
                let task = pool.spawn_future(Lane::Frame, async move {
                    Worker::with_current(|worker| worker.unwrap().block_on(inner.wait()));
                });
                pool.block_on(task);
            },
        ]);
    });
}

/// Those that come back from a wait are more than the pool has places: that one of them leaves its
/// own for a moment makes no room.
#[test]
fn many_jobs_whose_waits_go_on_and_on() {
    within_a_minute(|| {
        let waits: [fn(&Worker, &Flag); 2] = [
            |worker, flag| worker.scope(|scope| scope.spawn_future(flag.wait()).detach()),
            |worker, flag| worker.block_on(flag.wait()),
        ];
        for (threads, lane) in [(1, Lane::Frame), (2, Lane::Frame), (2, Lane::Io)] {
            for wait in waits {
                let (pool, flag) = (pool(threads), Flag::default());
                let over = Arc::new(());
                for _ in 0..24 {
                    let (flag, over) = (flag.clone(), over.clone());
                    pool.spawn(lane, move || {
                        Worker::with_current(|worker| wait(worker.unwrap(), &flag));
                        drop(over);
                    });
                }
                // Some of them are queued still: their turns come before the flag's.
                flag.set_later(&pool, lane);
                while Arc::strong_count(&over) > 1 {
                    thread::sleep(Duration::from_millis(1));
                }
            }
        }
    });
}

/// Work that is over soon and comes again at once, in ways that take nothing from the pool's
/// queues.
const BUSY: [fn(&Worker); 4] = [
    |worker| worker.scope(|scope| (0..8).for_each(|_| scope.spawn(|| ()))),
    |worker| worker.scope(|scope| (0..8).for_each(|_| scope.spawn_future(async {}).detach())),
    |worker| _ = worker.join(|_| (), |_| ()),
    |worker| _ = worker.join_offered(|_| (), |_| ()),
];

/// Has `threads` jobs of a pool wait, in a way that it can't see, for one that is queued behind
/// them.
fn block_all(pool: &ThreadPool, threads: usize, flag: &Flag) {
    let (sender, receiver) = mpsc::channel();
    let receiver = Arc::new(Mutex::new(receiver));
    for _ in 0..threads {
        let receiver = receiver.clone();
        pool.spawn(Lane::Frame, move || {
            receiver.lock().unwrap().recv().unwrap();
        });
    }
    let flag = flag.clone();
    pool.spawn(Lane::Frame, move || {
        (0..threads).for_each(|_| sender.send(()).unwrap());
        flag.set();
    });
}

#[test]
fn jobs_that_block_beside_threads_from_outside_that_go_on_and_on() {
    within_a_minute(|| {
        for threads in [1, 2] {
            for busy in BUSY {
                let (pool, flag) = (pool(threads), Flag::default());
                block_all(&pool, threads, &flag);
                thread::scope(|scope| {
                    for _ in 0..8 {
                        scope.spawn(|| {
                            while !flag.is_set() {
                                pool.with_worker(busy);
                                thread::sleep(Duration::from_micros(200));
                            }
                        });
                    }
                });
            }
        }
    });
}

/// They have the pool's places, come further, and block on nothing.
#[test]
fn a_job_behind_threads_from_outside_that_never_leave() {
    within_a_minute(|| {
        for threads in [1, 2] {
            for busy in BUSY {
                let (pool, flag) = (pool(threads), Flag::default());
                let go_on = |worker: &Worker| {
                    while !flag.is_set() {
                        busy(worker);
                    }
                };
                thread::scope(|scope| {
                    scope.spawn(|| flag.set_later(&pool, Lane::Frame));
                    for _ in 0..threads {
                        scope.spawn(|| pool.with_worker(go_on));
                    }
                });
            }
        }
    });
}

#[test]
fn jobs_that_block_beside_one_that_goes_on_and_on() {
    within_a_minute(|| {
        for threads in [1, 2] {
            for busy in BUSY {
                let (pool, flag) = (pool(1 + threads), Flag::default());
                let is_set = flag.clone();
                let task = pool.spawn_future(Lane::Frame, async move {
                    while !is_set.is_set() {
                        Worker::with_current(|worker| busy(worker.unwrap()));
                    }
                });
                block_all(&pool, threads, &flag);
                pool.block_on(task);
            }
        }
    });
}

#[test]
fn futures_of_a_mailbox_that_wake_themselves() {
    within_a_minute(|| {
        each_ends(&[|pool, flag| {
            let own = Mailbox::of_this_thread();
            pool.scope_with_mailboxes(&[&own], |scope| {
                scope.spawn_future(flag.wait()).detach();
                scope.spawn_future_on(&own, flag.wait()).detach();
            });
        }]);
    });
}

/// Another lane's jobs are taken all the time, and what is waited for finds no room beside the
/// thread that waits.
#[test]
fn a_wait_beside_busy_lanes() {
    within_a_minute(|| {
        let (pool, flag) = (pool(2), Flag::default());
        pool.set_budget(Lane::Background, 1);
        let inner = flag.clone();
        let waits = pool.spawn_future(Lane::Background, async move {
            Worker::with_current(|worker| worker.unwrap().block_on(inner.wait()));
        });
        thread::scope(|scope| {
            scope.spawn(|| flag.set_later(&pool, Lane::Background));
            scope.spawn(|| {
                while !flag.0.load(Ordering::Relaxed) {
                    pool.spawn(Lane::Frame, || ());
                    thread::sleep(Duration::from_micros(200));
                }
            });
            pool.block_on(waits);
        });
    });
}

/// The one job that is queued in the thread's own pool is not its scope's ticket in another one.
#[test]
fn a_scope_of_another_pool() {
    within_a_minute(|| {
        let (own, other, flag) = (pool(1), pool(0), Flag::default());
        own.set_budget(Lane::Background, 1);
        let inner = flag.clone();
        let waits = own.spawn_future(Lane::Background, async move {
            other.scope(|scope| {
                scope.spawn_future(inner.wait()).detach();
                scope.spawn_future(inner.wait()).detach();
            });
        });
        thread::scope(|scope| {
            scope.spawn(|| flag.set_later(&own, Lane::Background));
            own.block_on(waits);
        });
    });
}

#[test]
fn a_thread_that_nobody_comes_to_help() {
    within_a_minute(|| {
        for (lane, threads) in Lane::ALL
            .into_iter()
            .flat_map(|lane| [(lane, 1), (lane, 3)])
        {
            let builder = ThreadPool::builder().num_threads(threads);
            let pool = builder.spare_threads(false).build().unwrap();
            let flag = Flag::default();
            thread::scope(|scope| {
                scope.spawn(|| flag.set_later(&pool, lane));
                let wait = || pool.install(|worker| worker.block_on(flag.wait()));
                (0..threads).for_each(|_| _ = scope.spawn(wait));
            });
        }
    });
}

#[test]
fn a_thread_that_queues_itself_pinned_jobs_without_end() {
    fn again(flag: &Flag) {
        if !flag.0.load(Ordering::Relaxed) {
            let flag = flag.clone();
            Worker::with_current(|worker| worker.unwrap().try_spawn_on(0, move || again(&flag)));
        }
    }
    within_a_minute(|| {
        each_ends(&[|pool, flag| {
            let (sender, receiver) = async_channel::bounded::<()>(1);
            let waiter = flag.clone();
            let task = pool.spawn_future(Lane::Background, async move {
                waiter.wait().await;
                sender.send(()).await.unwrap();
            });
            task.detach();
            pool.install(|worker| {
                again(flag);
                worker.block_on(receiver.recv()).unwrap();
            });
        }]);
    });
}

/// What only the thread that waits may run.
#[test]
fn a_scope_until_a_job_for_its_owner_alone_has_run() {
    within_a_minute(|| {
        for threads in [1, 2] {
            for on_mailbox in [false, true] {
                let (pool, flag) = (pool(threads), Flag::default());
                pool.install(|worker| {
                    // A spare thread, which has no place of its own for such jobs, has none to wait
                    // for.
                    let Some(index) = worker.index().filter(|index| *index < threads) else {
                        return;
                    };
                    let set = flag.clone();
                    worker.try_spawn_on(index, move || set.0.store(true, Ordering::Relaxed));
                    if on_mailbox {
                        let mailbox = Mailbox::of_this_thread();
                        pool.scope_with_mailboxes(&[&mailbox], |scope| {
                            scope.spawn_future_on(&mailbox, flag.wait()).detach();
                        });
                    } else {
                        worker.scope(|scope| spawn_more_than_there_are_threads(scope, &flag));
                    }
                });
            }
        }
    });
}

/// A task in a waiting thread's own deque, while one from outside keeps the pool's queue full.
#[test]
fn a_task_of_a_waiting_thread_beside_a_queue_that_is_never_empty() {
    struct Bounces(mpsc::Sender<Waker>, Flag);
    impl Future for Bounces {
        type Output = ();
        fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
            if self.1.0.load(Ordering::Relaxed) {
                return Poll::Ready(());
            }
            let start = Instant::now();
            while start.elapsed() < Duration::from_micros(20) {
                std::hint::spin_loop();
            }
            _ = self.0.send(context.waker().clone());
            Poll::Pending
        }
    }
    within_a_minute(|| {
        let (pool, over) = (pool(1), Flag::default());
        let (sender, receiver) = mpsc::channel::<Waker>();
        thread::spawn(move || receiver.into_iter().for_each(Waker::wake));
        let (starts, started) = mpsc::channel();
        let (goes_on, go_on) = mpsc::channel::<()>();
        let task = pool.spawn_future(Lane::Frame, async move {
            let own = heartbeat_pool::spawn_future(Lane::Frame, async { 5 });
            starts.send(()).unwrap();
            go_on.recv().unwrap();
            heartbeat_pool::block_on(own)
        });
        started.recv().unwrap();
        for _ in 0..500 {
            let bounces = Bounces(sender.clone(), over.clone());
            pool.spawn_future(Lane::Frame, bounces).detach();
        }
        goes_on.send(()).unwrap();
        assert_eq!(pool.block_on(task), 5);
        over.0.store(true, Ordering::Relaxed);
    });
}

#[test]
fn a_loop_of_yields_until_a_call_that_blocks_has_been_made() {
    within_a_minute(|| {
        for (threads, spares) in [(0, true), (1, false), (1, true)] {
            let builder = ThreadPool::builder().num_threads(threads);
            let pool = builder.spare_threads(spares).build().unwrap();
            pool.install(|_| {
                let task = heartbeat_pool::spawn_blocking(|| 7);
                while !task.is_finished() {
                    _ = heartbeat_pool::yield_now();
                }
            });
        }
    });
}
