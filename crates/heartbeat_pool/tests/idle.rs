//! An idle pool sleeps: its threads are not switched to at all. In a process of its own, for it
//! counts every thread's switches.
#![cfg(target_os = "linux")]

mod common;

use heartbeat_pool::Lane;
use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::{Duration, Instant};

/// Voluntary context switches of each of the pool's threads.
fn switches() -> BTreeMap<String, u64> {
    let mut switches = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let (Ok(name), Ok(status)) = (
            fs::read_to_string(path.join("comm")),
            fs::read_to_string(path.join("status")),
        ) else {
            continue;
        };
        if !name.starts_with("heartbeat (") {
            continue;
        }
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        switches.insert(name, line.unwrap().trim().parse().unwrap());
    }
    switches
}

#[test]
fn an_idle_pool_makes_no_voluntary_switch() {
    let pool = common::pool(4);
    for _ in 0..100 {
        pool.scope(|scope| (0..20).for_each(|_| scope.spawn(|| ())));
        pool.block_on(pool.spawn_future(Lane::Io, async {}));
    }
    // The sentinel leaves a while after the last work.
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        thread::sleep(Duration::from_millis(200));
        let before = switches();
        assert!(before.len() >= 4, "{before:?}");
        thread::sleep(Duration::from_secs(2));
        if switches() == before {
            break;
        }
        assert!(Instant::now() < deadline, "the pool never goes quiet");
    }
}
