//! A pool's size as it changes, in the scheduler of `--cfg heartbeat_sim`: while threads that were
//! refused are asked for again, and as the lower threads begin.
#![cfg(heartbeat_sim)]
#![allow(missing_docs, reason = "a test")]

use heartbeat_pool::sim::{self, Settings, thread};
use heartbeat_pool::{Lane, ThreadPool, Worker};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const RUNS: u64 = 2_000;

/// A pool that is short of its second thread.
fn short() -> Arc<ThreadPool> {
    let pool = Arc::new(ThreadPool::builder().num_threads(1).build().unwrap());
    assert!(pool.resize_to(2).is_err());
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
            move || pool.block_on(pool.spawn_future(Lane::Frame, async { thread::yield_now() }));
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

fn in_all_orders(refused: &[usize], program: fn()) {
    for seed in 0..RUNS {
        sim::forget();
        let mut settings = Settings::new(seed);
        settings.refused = refused.to_vec();
        settings.never_refused = vec!["outside".to_owned()];
        let outcome = sim::run(settings, program);
        assert_eq!(outcome.failure, None, "seed {seed}");
    }
}

#[test]
fn the_size_that_was_asked_for_last_is_kept() {
    in_all_orders(&[1], || resize_as_it_is_asked_for_again(&[0]));
    in_all_orders(&[1], || resize_as_it_is_asked_for_again(&[3, 1]));
}

/// Two threads queue the first io jobs of a pool of `threads` at once, which do `work`.
fn first_io_jobs(threads: usize, work: fn()) {
    let builder = ThreadPool::builder().num_threads(threads);
    let pool = Arc::new(builder.lower_threads(true).build().unwrap());
    let start = |_| {
        let pool = pool.clone();
        let wait = move || pool.block_on(pool.spawn_future(Lane::Io, async move { work() }));
        let name = "outside waits".to_owned();
        thread::Builder::new().name(name).spawn(wait).unwrap()
    };
    let outside = [(); 2].map(start);
    let join = |thread: thread::JoinHandle<()>| thread.join().unwrap();
    outside.into_iter().for_each(join);
}

#[test]
fn all_threads_are_there_for_who_runs_on_the_first() {
    in_all_orders(&[], || {
        first_io_jobs(3, || {
            assert!(Worker::with_current(|worker| worker
                .unwrap()
                .try_spawn_on(2, || ())));
        });
    });
}

#[test]
fn the_first_jobs_keep_to_the_budget() {
    static RUNNING: AtomicUsize = AtomicUsize::new(0);
    fn work() {
        let others = RUNNING.fetch_add(1, Ordering::Relaxed);
        thread::yield_now();
        RUNNING.fetch_sub(1, Ordering::Relaxed);
        assert_eq!(others, 0, "the budget of a pool of two is one");
    }
    in_all_orders(&[], || first_io_jobs(2, work));
}
