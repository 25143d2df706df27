//! A pool's size while threads that were refused are asked for again, in the scheduler of
//! `--cfg heartbeat_sim`.
#![cfg(heartbeat_sim)]
#![allow(missing_docs, reason = "a test")]

use heartbeat_pool::sim::{self, Settings, thread};
use heartbeat_pool::{Lane, ThreadPool};
use std::sync::Arc;
use std::time::Duration;

const RUNS: u64 = 2_000;

/// A pool that is short of its second thread.
fn short() -> Arc<ThreadPool> {
    let pool = Arc::new(ThreadPool::builder().num_threads(1).build().unwrap());
    assert!(pool.grow(1).is_err());
    assert_eq!(pool.num_threads(), 1);
    pool
}

/// Each of `sizes` is set by a thread of its own, as those who wait may ask again for the thread
/// that was refused.
fn resize_as_it_is_asked_for_again(sizes: &'static [usize]) {
    let pool = short();
    // The system is asked again after ten milliseconds.
    thread::sleep(Duration::from_millis(10));
    let start = |name: &str, f: Box<dyn FnOnce() + Send>| {
        let name = format!("outside {name}");
        thread::Builder::new().name(name).spawn(f).unwrap()
    };
    let waits = {
        let pool = pool.clone();
        let wait =
            move || pool.block_on(pool.spawn_async(Lane::Frame, async || thread::yield_now()));
        start("waits", Box::new(wait))
    };
    for size in sizes {
        let pool = pool.clone();
        let resizes = start("resizes", Box::new(move || pool.resize_to(*size).unwrap()));
        resizes.join().unwrap();
    }
    waits.join().unwrap();
    assert_eq!(Some(&pool.num_threads()), sizes.last());
}

fn in_all_orders(program: fn()) {
    for seed in 0..RUNS {
        sim::forget();
        let mut settings = Settings::new(seed);
        settings.refused = vec![1];
        settings.never_refused = vec!["outside".to_owned()];
        let outcome = sim::run(settings, program);
        assert_eq!(outcome.failure, None, "seed {seed}");
    }
}

#[test]
fn the_size_that_was_asked_for_last_is_kept() {
    in_all_orders(|| resize_as_it_is_asked_for_again(&[0]));
    in_all_orders(|| resize_as_it_is_asked_for_again(&[3, 1]));
}
