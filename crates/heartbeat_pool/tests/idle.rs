//! An idle pool sleeps: its threads are not switched to at all. In a process of its own, for it
//! counts every thread's switches.
#![cfg(target_os = "linux")]

mod common;

use common::switches::{switches, switches_in};
use heartbeat_pool::{Lane, ThreadPool};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// One test, for two would count each other's threads.
#[test]
fn idle_means_idle_and_a_lone_job_wakes_next_to_nobody() {
    let pool = common::pool(4);
    for _ in 0..100 {
        pool.scope(|scope| (0..20).for_each(|_| scope.spawn(|| ())));
        pool.block_on(pool.spawn_future(Lane::Io, async {}));
    }
    let deadline = Instant::now() + Duration::from_secs(60);
    // The sentinel leaves a while after the last work.
    thread::sleep(Duration::from_millis(200));
    assert!(switches().len() >= 4, "{:?}", switches());
    while switches_in(Duration::from_secs(10)) != Some(0) {
        assert!(Instant::now() < deadline, "the pool never goes quiet");
    }

    let stop = Arc::new(AtomicBool::new(false));
    let stopped = stop.clone();
    let job = pool.spawn_future(Lane::Frame, async move {
        while !stopped.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
    });
    // Fewer than one every ten milliseconds.
    let few = few_switches(100);
    stop.store(true, Ordering::Relaxed);
    pool.block_on(job);
    few.unwrap();
    drop(pool);
    short_jobs_of_a_full_lane_wake_next_to_nobody();
}

/// Jobs of a lower lane, one after the other, of which no more may run at once.
fn short_jobs_of_a_full_lane_wake_next_to_nobody() {
    let builder = ThreadPool::builder().num_threads(2).lower_threads(true);
    let pool = Arc::new(builder.budget(Lane::Io, 1).build().unwrap());
    let stop = Arc::new(AtomicBool::new(false));
    spawn_one_after_the_other(&pool, &stop);
    // Where one wakes each beat, there are some 4,000.
    let few = few_switches(300);
    stop.store(true, Ordering::Relaxed);
    few.unwrap();
}

/// Spawns a job that spins for half a millisecond, and spawns the next one.
fn spawn_one_after_the_other(pool: &Arc<ThreadPool>, stop: &Arc<AtomicBool>) {
    let (next, stopped) = (Arc::downgrade(pool), stop.clone());
    pool.spawn(Lane::Io, move || {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_micros(500) {
            std::hint::spin_loop();
        }
        if let Some(pool) = next.upgrade().filter(|_| !stopped.load(Ordering::Relaxed)) {
            spawn_one_after_the_other(&pool, &stopped);
        }
    });
}

/// An error, if there are more than so many a second.
fn few_switches(most: u64) -> Result<(), String> {
    thread::sleep(Duration::from_millis(100));
    let time = Duration::from_secs(3);
    let switches = switches_in(time);
    let is_few = switches.is_some_and(|count| count <= most * time.as_secs());
    is_few.then_some(()).ok_or(format!("{switches:?} switches"))
}
