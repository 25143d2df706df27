//! A scope's owner calls for help where its jobs are long.

mod common;

use common::{SIZES, pool, within_a_minute};
use heartbeat_pool::{Scope, ThreadPool};
use std::collections::HashSet;
use std::sync::{Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

#[test]
fn long_jobs_are_shared() {
    within_a_minute(|| {
        for threads in SIZES {
            let pool = pool(threads);
            let ran = Mutex::new(HashSet::new());
            pool.scope(|scope: &Scope| {
                for _ in 0..40 {
                    scope.spawn(|| {
                        ran.lock().unwrap().insert(thread::current().id());
                        thread::sleep(Duration::from_millis(2));
                    });
                }
            });
            let ran = ran.into_inner().unwrap().len();
            assert!(ran >= threads.min(2), "{ran} of {threads} threads");
        }
    });
}

/// Two are too few for the owner to judge, and the next look around is a second away.
#[test]
fn a_thread_is_called_for_what_the_caller_knows_to_be_long() {
    within_a_minute(|| {
        let beat = Duration::from_secs(1);
        let pool = ThreadPool::builder().num_threads(2).beat(beat).build();
        let pool = pool.unwrap();
        let both = Barrier::new(2);
        let begun = Instant::now();
        for _ in 0..20 {
            pool.scope(|scope: &Scope| {
                scope.spawn(|| _ = both.wait());
                scope.spawn(|| _ = both.wait());
                scope.call_for_help();
            });
        }
        assert!(begun.elapsed() < 5 * beat, "{:?}", begun.elapsed());
    });
}
