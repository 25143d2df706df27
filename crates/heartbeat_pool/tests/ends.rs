//! A pool's end beside work that goes on, or that waits for work.

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, ThreadPool, spawn, yield_task};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

/// Wakes itself for ever.
async fn goes_on() {
    loop {
        yield_task().await;
    }
}

#[test]
fn a_task_that_goes_on_for_ever_keeps_no_pool() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(1).lower_threads(true);
        let pool = builder.build().unwrap();
        let (begins, begun) = mpsc::channel();
        pool.spawn(Lane::Io, move || {
            begins.send(()).unwrap();
            thread::sleep(Duration::from_millis(100));
        });
        begun.recv().unwrap();
        pool.resize_to(0).unwrap();
        pool.spawn_future(Lane::Frame, goes_on()).detach();
        drop(pool);
    });
}

/// Drops a pool whose job waits by a channel for what `queue` queues.
fn drop_while_a_job_waits(lane: Lane, lower: bool, queue: fn(mpsc::Sender<()>)) {
    let builder = ThreadPool::builder().num_threads(1).lower_threads(lower);
    let pool = builder.build().unwrap();
    let (begins, begun) = mpsc::channel();
    pool.spawn(lane, move || {
        let (sender, receiver) = mpsc::channel::<()>();
        queue(sender);
        begins.send(()).unwrap();
        _ = receiver.recv();
    });
    begun.recv().unwrap();
    drop(pool);
}

#[test]
fn a_pool_ends_though_a_job_waits_for_a_queued_one() {
    within_a_minute(|| {
        let queues: [fn(mpsc::Sender<()>); 4] = [
            |sender| spawn(Lane::Frame, move || _ = sender.send(())),
            |sender| spawn(Lane::Io, move || _ = sender.send(())),
            |sender| spawn(Lane::Background, move || _ = sender.send(())),
            |sender| heartbeat_pool::spawn_blocking(move || _ = sender.send(())).detach(),
        ];
        for queue in queues {
            for lane in Lane::ALL {
                for lower in [false, true] {
                    drop_while_a_job_waits(lane, lower, queue);
                }
            }
        }
    });
}

#[test]
fn a_pool_ends_though_much_is_queued_before_what_a_job_waits_for() {
    within_a_minute(|| {
        for lane in Lane::ALL {
            let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
            let pool = builder.build().unwrap();
            let (begins, begun) = mpsc::channel();
            pool.spawn(Lane::Frame, move || {
                let (sender, receiver) = mpsc::channel::<()>();
                heartbeat_pool::spawn_future(Lane::Frame, goes_on()).detach();
                (0..50).for_each(|_| spawn(lane, || ()));
                spawn(lane, move || drop(sender));
                begins.send(()).unwrap();
                _ = receiver.recv();
            });
            begun.recv().unwrap();
            drop(pool);
        }
    });
}

#[test]
fn a_pool_ends_though_a_job_waits_for_one_queued_job_after_the_other() {
    within_a_minute(|| {
        let pool = pool(1);
        let (begins, begun) = mpsc::channel();
        pool.spawn(Lane::Frame, move || {
            begins.send(()).unwrap();
            for _ in 0..10 {
                let (sender, receiver) = mpsc::channel::<()>();
                spawn(Lane::Frame, move || drop(sender));
                _ = receiver.recv();
            }
        });
        begun.recv().unwrap();
        drop(pool);
    });
}

#[test]
fn what_was_queued_does_not_begin_at_the_end() {
    within_a_minute(|| {
        for lane in Lane::ALL {
            let pool = pool(1);
            pool.set_budget(lane, 1);
            let (begins, begun) = mpsc::channel();
            pool.spawn(lane, move || {
                begins.send(()).unwrap();
                thread::sleep(Duration::from_millis(400));
            });
            begun.recv().unwrap();
            let (sender, receiver) = mpsc::channel::<()>();
            // Nobody sends before the pool has ended.
            pool.spawn(lane, move || _ = receiver.recv());
            drop(pool);
            assert!(sender.send(()).is_err());
        }
    });
}

/// A scope's jobs are found by a ticket, which is no job to be dropped.
#[test]
fn a_scope_is_run_though_its_pool_ends_meanwhile() {
    within_a_minute(|| {
        for threads in [1, 2] {
            let pool = pool(threads);
            let (begins, begun) = mpsc::channel();
            let (ends, ended) = mpsc::channel();
            pool.spawn(Lane::Frame, move || {
                begins.send(()).unwrap();
                let ran = AtomicUsize::new(0);
                heartbeat_pool::scope(|scope| {
                    for _ in 0..20 {
                        scope.spawn(|| {
                            thread::sleep(Duration::from_millis(30));
                            ran.fetch_add(1, Ordering::Relaxed);
                        });
                    }
                });
                ends.send(ran.into_inner()).unwrap();
            });
            begun.recv().unwrap();
            drop(pool);
            assert_eq!(ended.recv(), Ok(20));
        }
    });
}

#[test]
fn a_lone_thread_that_ends_another_pool_works_for_its_own() {
    within_a_minute(|| {
        let builder = ThreadPool::builder().num_threads(1).spare_threads(false);
        let own = Arc::new(builder.build().unwrap());
        let other = pool(1);
        let (begins, begun) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let inner = own.clone();
        other.spawn(Lane::Frame, move || {
            begins.send(()).unwrap();
            may_go.recv().unwrap();
            inner.install(|_| ());
        });
        begun.recv().unwrap();
        own.install(move |_| {
            go.send(()).unwrap();
            drop(other);
        });
    });
}

#[test]
fn a_scoped_future_of_an_ended_thread_is_dropped_under_no_lock_of_its_waker() {
    within_a_minute(|| {
        let pool = pool(1);
        let (tell, told) = mpsc::channel();
        let (go, may_go) = mpsc::channel::<()>();
        let owner = thread::spawn(move || {
            let own = Mailbox::of_this_thread();
            tell.send(own.clone()).unwrap();
            may_go.recv().unwrap();
            while own.try_tick() {}
        });
        let mailbox = told.recv().unwrap();
        let (sender, receiver) = async_channel::bounded::<()>(1);
        pool.scope(|scope| {
            let wait = async move { _ = receiver.recv().await };
            scope.spawn_future_on(&mailbox, wait).detach();
            go.send(()).unwrap();
            owner.join().unwrap();
            _ = sender.try_send(());
        });
    });
}

#[test]
fn a_panic_as_a_mailbox_is_emptied_ends_nothing() {
    struct Bomb;
    impl Drop for Bomb {
        fn drop(&mut self) {
            panic!("dropped");
        }
    }
    within_a_minute(|| {
        let token = Arc::new(());
        let held = token.clone();
        let ends = thread::spawn(move || {
            let bomb = Bomb;
            Mailbox::of_this_thread()
                .spawn(async move { drop(bomb) })
                .detach();
            Mailbox::of_this_thread()
                .spawn(async move { drop(held) })
                .detach();
        });
        ends.join().unwrap();
        assert_eq!(Arc::strong_count(&token), 1);
    });
}
