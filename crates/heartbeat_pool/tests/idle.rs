//! An idle pool sleeps: its threads are not switched to at all. In a process of its own, for it
//! counts every thread's switches.
#![cfg(target_os = "linux")]

mod common;

use common::switches::{switches, switches_in};
use heartbeat_pool::Lane;
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
    thread::sleep(Duration::from_millis(100));
    let time = Duration::from_secs(3);
    let switches = switches_in(time);
    stop.store(true, Ordering::Relaxed);
    pool.block_on(job);
    // Fewer than one every ten milliseconds.
    let most = time.as_millis() as u64 / 10;
    assert!(switches.is_some_and(|count| count < most), "{switches:?}");
}
