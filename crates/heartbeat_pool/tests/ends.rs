//! A pool's end beside work that goes on, or that waits for work.

mod common;

use common::{pool, within_a_minute};
use heartbeat_pool::{Lane, Mailbox, ThreadPool, spawn, yield_task};
use std::future::pending;
use std::io::ErrorKind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
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

#[test]
fn a_future_whose_output_uses_a_scope_as_it_is_dropped_is_over() {
    struct Uses(Arc<ThreadPool>);
    impl Drop for Uses {
        fn drop(&mut self) {
            self.0.scope(|scope| scope.spawn_future(async {}).detach());
        }
    }
    within_a_minute(|| {
        let pool = Arc::new(pool(1));
        let uses = Uses(pool.clone());
        pool.clone()
            .scope(|scope| scope.spawn_future(async move { uses }).detach());
    });
}

#[test]
fn who_ends_a_pool_does_what_only_it_does() {
    within_a_minute(|| {
        let (own, ended) = (Arc::new(pool(1)), pool(1));
        let known = own.clone();
        let (began, has_begun) = mpsc::channel();
        ended.spawn(Lane::Frame, move || {
            began.send(()).unwrap();
            thread::sleep(Duration::from_millis(50));
            let (sender, receiver) = mpsc::channel();
            known.spawn_on(0, move || sender.send(()).unwrap());
            receiver.recv().unwrap();
        });
        has_begun.recv().unwrap();
        let (done, is_done) = mpsc::channel();
        own.spawn_on(0, move || {
            drop(ended);
            done.send(()).unwrap();
        });
        is_done.recv().unwrap();
    });
}

#[test]
fn who_ends_a_pool_does_what_lower_jobs_wait_for() {
    within_a_minute(|| {
        let kept = Arc::new(Mutex::new(None));
        let keeper = kept.clone();
        let starts = AtomicUsize::new(0);
        let pool = ThreadPool::builder()
            .num_threads(1)
            .lower_threads(true)
            .spawn_handler(move |thread| {
                if thread.name().starts_with("low") {
                    return thread.spawn().map(drop);
                }
                let mut kept = keeper.lock().unwrap();
                if starts.fetch_add(1, Ordering::SeqCst) > 0 {
                    return Err(ErrorKind::WouldBlock.into());
                }
                *kept = Some(thread);
                Ok(())
            })
            .build()
            .unwrap();
        let thread = kept.lock().unwrap().take();
        drop(thread);
        assert_eq!(pool.num_threads(), 0);
        let (began, has_begun) = mpsc::channel();
        pool.spawn(Lane::Io, move || {
            began.send(()).unwrap();
            thread::sleep(Duration::from_millis(50));
            let (sender, receiver) = mpsc::channel();
            spawn(Lane::Frame, move || sender.send(()).unwrap());
            receiver.recv().unwrap();
        });
        has_begun.recv().unwrap();
        drop(pool);
    });
}

#[test]
fn a_task_that_first_waits_after_the_end_is_dropped() {
    let mailbox = Arc::new(Mailbox::new());
    let held = Arc::new(());
    let known = Arc::downgrade(&held);
    let closes = mailbox.clone();
    mailbox
        .spawn(async move {
            let _held = held;
            closes.close();
            pending::<()>().await;
        })
        .detach();
    mailbox.try_tick();
    for _ in 0..5000 {
        if known.upgrade().is_none() {
            return;
        }
        thread::sleep(Duration::from_millis(1));
    }
    panic!("it is there still");
}
