//! A scope's owner calls for help where its jobs are long.

mod common;

use common::{SIZES, pool, within_a_minute};
use heartbeat_pool::Scope;
use std::collections::HashSet;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

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
