//! How often a pool's threads go to sleep.

use std::collections::BTreeMap;
use std::fs;
use std::thread;
use std::time::Duration;

/// Voluntary context switches of each of the pool's threads.
pub fn switches() -> BTreeMap<String, u64> {
    let mut switches = BTreeMap::new();
    for task in fs::read_dir("/proc/self/task").unwrap() {
        let path = task.unwrap().path();
        let (Ok(name), Ok(status)) = (
            fs::read_to_string(path.join("comm")),
            fs::read_to_string(path.join("status")),
        ) else {
            continue;
        };
        if !["heartbeat (", "low ("]
            .iter()
            .any(|start| name.starts_with(start))
        {
            continue;
        }
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
        switches.insert(name, line.unwrap().trim().parse().unwrap());
    }
    switches
}

/// Switches of all threads together in `time`, or `None` if one came or went.
pub fn switches_in(time: Duration) -> Option<u64> {
    let before = switches();
    thread::sleep(time);
    let after = switches();
    let same = before.keys().eq(after.keys());
    let sum = |counts: BTreeMap<String, u64>| counts.values().sum::<u64>();
    same.then(|| sum(after) - sum(before))
}
