//! When a scope's owner calls for help: not for held jobs that are short.

mod common;

use common::{SIZES, pool, within_a_minute};
use heartbeat_pool::{Scope, ThreadPool};
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

/// Spawns jobs of some length on a held scope, and gives the number of threads that ran them.
fn threads_of(pool: &ThreadPool, jobs: usize, length: Duration) -> usize {
    let threads = Mutex::new(HashSet::new());
    pool.scope(|scope: &Scope| {
        scope.hold();
        for _ in 0..jobs {
            scope.spawn(|| {
                threads.lock().unwrap().insert(thread::current().id());
                if !length.is_zero() {
                    thread::sleep(length);
                }
            });
        }
    });
    threads.into_inner().unwrap().len()
}

#[test]
fn short_jobs_wake_nobody() {
    within_a_minute(|| {
        let pool = pool(2);
        // Whoever is woken goes to sleep again.
        let sleeps = || pool.metrics().total().parks;
        let disturbed = (0..50).filter(|_| {
            // Until nobody searches, nor keeps the beat.
            thread::sleep(Duration::from_millis(20));
            let before = sleeps();
            let threads = threads_of(&pool, 2, Duration::ZERO);
            thread::sleep(Duration::from_millis(1));
            threads > 1 || sleeps() > before
        });
        // A busy machine makes short jobs long.
        let disturbed = disturbed.count();
        assert!(disturbed < 25, "{disturbed} scopes of 50 woke somebody");
    });
}

#[test]
fn long_jobs_are_shared() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let ran = threads_of(&pool, 40, Duration::from_millis(2));
            assert!(ran >= threads.min(2), "{ran} of {threads} threads");
        }
    });
}

#[test]
fn what_a_held_job_spawns_is_run() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let sum = Mutex::new(0);
            for _ in 0..100 {
                pool.scope(|scope| {
                    scope.hold();
                    scope.spawn(|| scope.spawn(|| *sum.lock().unwrap() += 1));
                    let task = async {
                        heartbeat_pool::yield_task().await;
                        *sum.lock().unwrap() += 1;
                    };
                    scope.spawn_future(task).detach();
                });
                // The next scope calls for help again.
                pool.scope(|scope| scope.spawn(|| *sum.lock().unwrap() += 1));
            }
            assert_eq!(sum.into_inner().unwrap(), 300);
        }
    });
}
