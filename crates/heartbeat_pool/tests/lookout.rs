//! Calls that are kept on one thread, frame after frame, wake nobody. In a process of its own, for
//! it counts every thread's switches.
#![cfg(target_os = "linux")]

mod common;

use common::switches::{switches, switches_in};
use std::hint;
use std::thread;
use std::time::{Duration, Instant};

const FRAMES: u64 = 40;

#[test]
fn kept_calls_wake_nobody_each_and_the_sentinel_leaves_after_the_last() {
    let pool = common::pool(2);
    // Too short to be worth a wake-up, so they are kept as soon as that is known.
    let frames = |count: u64| {
        for _ in 0..count {
            pool.with_worker(|worker| worker.join_measured(|_| hint::black_box(1), |_| 2));
            thread::sleep(Duration::from_millis(5));
        }
    };
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        let before = switches().values().sum::<u64>();
        frames(FRAMES);
        // A thread that is woken goes to sleep again once, and twice more if it looks for what
        // comes next. Less than before if a thread has ended.
        let slept = switches().values().sum::<u64>().saturating_sub(before);
        if slept < FRAMES / 2 {
            break;
        }
        assert!(Instant::now() < deadline, "{slept} times in {FRAMES} calls");
    }
    while switches_in(Duration::from_secs(1)) != Some(0) {
        assert!(Instant::now() < deadline, "the sentinel stays");
    }
}
