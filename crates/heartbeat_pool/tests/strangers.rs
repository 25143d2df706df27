//! What a thread without spare ones runs on top of what it is about: only what can't block on that.

mod common;

use common::{Flag, within_a_minute};
use heartbeat_pool::{Lane, Order, ThreadPool, ThreadPoolBuilder, Worker};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

fn spareless(threads: usize) -> ThreadPoolBuilder {
    let builder = ThreadPool::builder().num_threads(threads);
    builder.spare_threads(false)
}

/// In rayon's order, in which a thread's own comes before what others want of it.
#[test]
fn a_yield_runs_the_threads_own_half_before_what_is_for_it_from_outside() {
    within_a_minute(|| {
        let pool = spareless(1).order(Order::NewestFirst).build().unwrap();
        pool.install(|worker| {
            for yields in [Worker::yield_now, Worker::yield_local] {
                for _ in 0..16 {
                    let (sender, receiver) = mpsc::channel();
                    assert!(worker.try_spawn_on(0, move || receiver.recv().unwrap()));
                    let flag = Flag::default();
                    let yields = |worker: &Worker| {
                        while !flag.is_set() {
                            yields(worker);
                        }
                    };
                    let second = |_: &Worker| {
                        sender.send(()).unwrap();
                        flag.set();
                    };
                    worker.join_offered(yields, second);
                    // So that the next one is first.
                    while worker.has_own_work() {
                        worker.yield_local();
                    }
                }
            }
        });
    });
}

/// Each of the jobs from outside blocks on one of the waiting thread's own.
#[test]
fn a_wait_runs_the_threads_own_jobs_before_those_from_outside() {
    const JOBS: usize = 24;
    within_a_minute(|| {
        let pool = spareless(2).order(Order::NewestFirst).build().unwrap();
        let (begun, left) = (Flag::default(), AtomicUsize::new(JOBS));
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..JOBS).map(|_| mpsc::channel()).unzip();
        let receivers = &std::sync::Mutex::new(receivers);
        pool.install(|worker| {
            let first = |worker: &Worker| {
                common::wait_until(|| begun.is_set());
                for sender in senders {
                    worker.spawn(Lane::Frame, move || sender.send(()).unwrap());
                }
            };
            let second = |_: &Worker| {
                begun.set();
                // The other thread waits by now.
                thread::sleep(Duration::from_millis(20));
                thread::scope(|outside| {
                    for receiver in receivers.lock().unwrap().drain(..) {
                        let (pool, left) = (&pool, &left);
                        outside.spawn(move || {
                            pool.install(move |_| receiver.recv().unwrap());
                            left.fetch_sub(1, Ordering::Relaxed);
                        });
                    }
                });
            };
            worker.join_offered(first, second);
        });
        assert_eq!(left.into_inner(), 0);
    });
}

#[test]
fn a_wait_beside_a_thread_that_runs_makes_no_call_that_blocks() {
    within_a_minute(|| {
        let pool = spareless(2).build().unwrap();
        let (sender, receiver) = mpsc::channel();
        let task = pool.install(|worker| {
            let begun = Flag::default();
            let task = worker.scope(|scope| {
                scope.spawn(|| {
                    begun.set();
                    thread::sleep(Duration::from_millis(300));
                });
                scope.call_for_help();
                common::wait_until(|| begun.is_set());
                heartbeat_pool::spawn_blocking(move || receiver.recv().unwrap())
            });
            sender.send(7).unwrap();
            task
        });
        assert_eq!(pool.block_on(task), 7);
    });
}

/// Another thread that runs may never come to it.
#[test]
fn a_wait_beside_a_thread_that_is_blocked_makes_the_call_that_it_blocks_on() {
    within_a_minute(|| {
        let pool = spareless(2).build().unwrap();
        pool.install(|worker| {
            let begun = Flag::default();
            worker.scope(|scope| {
                scope.spawn(|| {
                    let (sender, receiver) = mpsc::channel();
                    heartbeat_pool::spawn_blocking(move || sender.send(()).unwrap()).detach();
                    begun.set();
                    receiver.recv().unwrap();
                });
                scope.call_for_help();
                common::wait_until(|| begun.is_set());
            });
        });
    });
}

/// All but the one thread that computes wait, and do what is left.
#[test]
fn waits_keep_to_the_lanes_budget() {
    const JOBS: usize = 100;
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    static MOST: AtomicUsize = AtomicUsize::new(0);
    static LEFT: AtomicUsize = AtomicUsize::new(JOBS);
    fn job() {
        let running = RUNNING.fetch_add(1, Ordering::Relaxed) + 1;
        MOST.fetch_max(running, Ordering::Relaxed);
        thread::sleep(Duration::from_micros(100));
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        LEFT.fetch_sub(1, Ordering::Relaxed);
    }
    within_a_minute(|| {
        let pool = spareless(3).budget(Lane::Io, 1).build().unwrap();
        let over = &Flag::default();
        thread::scope(|outside| {
            outside.spawn(|| pool.install(|_| common::wait_until(|| over.is_set())));
            for _ in 0..2 {
                outside.spawn(|| pool.install(|worker| worker.block_on(over.wait())));
            }
            thread::sleep(Duration::from_millis(20));
            (0..JOBS).for_each(|_| pool.spawn(Lane::Io, job));
            common::wait_until(|| LEFT.load(Ordering::Relaxed) == 0);
            over.set();
        });
        assert_eq!(MOST.load(Ordering::Relaxed), 1);
    });
}
