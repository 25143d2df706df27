//! Threads for io and background jobs that the system refuses are told of. In a process of its own,
//! for it has the log and the pool.

mod common;

use bevy_tasks::{AsyncComputeTaskPool, block_on};
use common::{logged, within};
use heartbeat_pool::ThreadPool;
use std::io;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many of these threads there may be.
static GIVEN: AtomicUsize = AtomicUsize::new(0);

#[test]
fn refused_lower_threads_are_told_of_and_their_jobs_run() {
    within(60, || {
        logged::keep();
        // As a system at its limit would.
        let pool = ThreadPool::builder()
            .num_threads(0)
            .spawn_handler(|thread| {
                let is_lower = thread.name().starts_with("low ");
                if is_lower && thread.index() >= GIVEN.load(Ordering::SeqCst) {
                    return Err(io::Error::other("no more"));
                }
                thread.spawn().map(drop)
            });
        pool.build_static_if_unsized(heartbeat_pool::global())
            .unwrap();
        let logged_with = |given| {
            GIVEN.store(given, Ordering::SeqCst);
            let mut app = common::app(2);
            app.finish();
            app.update();
            let task = AsyncComputeTaskPool::get().spawn(async { 5 });
            assert_eq!(block_on(task), 5);
            logged::take()
        };
        let only = |logged: Vec<String>, parts: [&str; 2]| {
            assert_eq!(logged.len(), 1, "{logged:?}");
            assert!(
                parts.iter().all(|part| logged[0].contains(part)),
                "{logged:?}"
            );
        };
        only(
            logged_with(0),
            [
                "given 0 of the 2 threads for io",
                "run on the frame's threads",
            ],
        );
        only(
            logged_with(1),
            ["given 1 of the 2 threads for io", "fewer of these jobs"],
        );
        assert_eq!(logged_with(2), [""; 0]);
    });
}
