//! `spawn`: runs without being waited for, keeps its pool alive, and its panic goes to the pool's handler.

mod common;
use common::{Fifo, Lifo, all, fail, in_time, pool};
use rayon_core::{ThreadPool, ThreadPoolBuilder, current_thread_index, scope};
use std::sync::mpsc::{self, Receiver};

#[test]
fn from_outside_a_pool() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (done, over) = mpsc::channel();
            order.spawn(move || done.send(current_thread_index().is_some()).unwrap());
            assert_eq!(over.recv(), Ok(true));
        }
    });
}

#[test]
fn from_a_thread_of_the_pool() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (done, over) = mpsc::channel();
            scope(|_| order.spawn(move || done.send(current_thread_index().is_some()).unwrap()));
            assert_eq!(over.recv(), Ok(true));
        }
    });
}

/// A pool whose handler sends on what it is given, where that is what [`fail`] panics with.
fn reporting() -> (ThreadPool, Receiver<Option<&'static str>>) {
    let (report, reports) = mpsc::channel();
    let pool = ThreadPoolBuilder::new()
        .panic_handler(move |payload| {
            let _ = report.send(payload.downcast_ref::<&'static str>().copied());
        })
        .build()
        .unwrap();
    (pool, reports)
}

/// The pool is dropped at once, and its handler stays until all is done.
#[test]
fn a_panic_goes_to_the_pool_s_handler() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (pool, reports) = reporting();
            order.spawn_in(&pool, || fail("spawned"));
            drop(pool);
            assert_eq!(all(&reports), [Some("spawned")]);
        }
    });
}

#[test]
fn the_handler_gets_the_payload_itself() {
    in_time(|| {
        let (report, reports) = mpsc::channel();
        let pool = ThreadPoolBuilder::new()
            .panic_handler(move |payload| report.send(payload).unwrap())
            .build()
            .unwrap();
        pool.spawn(|| std::panic::panic_any(vec![1_u8, 2, 3]));
        let payload = reports.recv().unwrap().downcast::<Vec<u8>>().unwrap();
        assert_eq!(*payload, [1, 2, 3]);
    });
}

#[test]
fn panics_of_what_is_spawned_in_turn_go_to_the_same_handler() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            let (pool, reports) = reporting();
            order.spawn_in(&pool, move || {
                for with in ["one", "two", "three"] {
                    order.spawn(move || fail(with));
                }
            });
            drop(pool);
            let mut reports = all(&reports);
            reports.sort();
            assert_eq!(reports, [Some("one"), Some("three"), Some("two")]);
        }
    });
}

/// A panicking closure costs the pool none of its threads.
#[test]
fn the_pool_lives_on_after_a_panic() {
    in_time(|| {
        let (report, reports) = mpsc::channel();
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .panic_handler(move |_| report.send(()).unwrap())
            .build()
            .unwrap();
        for _ in 0..10 {
            pool.spawn(|| fail("spawned"));
            reports.recv().unwrap();
        }
        assert_eq!(pool.broadcast(|context| context.index()), [0, 1]);
    });
}

/// The first closure is held back until nobody has the pool any more, and spawns another there.
#[test]
fn a_dropped_pool_does_what_is_left_to_do() {
    in_time(|| {
        for order in [Lifo, Fifo] {
            for threads in [0, 1, 3] {
                let (go, wait) = mpsc::channel();
                let (done, over) = mpsc::channel();
                let pool = pool(threads);
                order.spawn_in(&pool, move || {
                    let token: &str = wait.recv().unwrap();
                    order.spawn(move || done.send(token).unwrap());
                });
                drop(pool);
                go.send("token").unwrap();
                assert_eq!(over.recv(), Ok("token"));
            }
        }
    });
}

/// However many of them there are, and with whatever budget.
#[test]
fn jobs_of_the_lower_lanes_may_wait_for_what_they_spawn() {
    in_time(|| {
        // The pool has threads from here on.
        scope(|_| ());
        let (done, over) = mpsc::channel();
        for lane in [heartbeat_pool::Lane::Io, heartbeat_pool::Lane::Background] {
            for _ in 0..8 {
                let done = done.clone();
                heartbeat_pool::global().spawn(lane, move || {
                    for order in [Lifo, Fifo] {
                        let (sender, receiver) = mpsc::channel();
                        order.spawn(move || sender.send(()).unwrap());
                        receiver.recv().unwrap();
                    }
                    done.send(()).unwrap();
                });
            }
        }
        drop(done);
        assert_eq!(all(&over).len(), 16);
    });
}
