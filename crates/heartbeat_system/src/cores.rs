//! How many cores the process may use.

use std::thread;

/// How many cores the process may use: those that the standard library tells of the calling thread,
/// unless that is pinned to fewer than all threads of the process may use between them.
///
/// ```
/// assert!(heartbeat_system::cores() >= 1);
/// ```
#[must_use]
pub fn cores() -> usize {
    let told = thread::available_parallelism().map_or(1, usize::from);
    told.max(of_a_pinned_thread().unwrap_or(0))
}

/// What the process may use, where the calling thread may not use all of it.
#[cfg(all(any(target_os = "linux", target_os = "android"), not(miri)))]
fn of_a_pinned_thread() -> Option<usize> {
    use rustix::thread::{CpuSet, Pid, sched_getaffinity};
    let own = sched_getaffinity(None).ok()?;
    let mut all = own;
    for thread in std::fs::read_dir("/proc/self/task").ok()? {
        let id = thread.ok()?.file_name();
        let pid = id.to_str().and_then(|id| Pid::from_raw(id.parse().ok()?));
        // A thread may have ended meanwhile.
        if let Some(its) = pid.and_then(|pid| sched_getaffinity(Some(pid)).ok()) {
            let cores = (0..CpuSet::MAX_CPU).filter(|core| its.is_set(*core));
            cores.for_each(|core| all.set(core));
        }
    }
    (all != own).then(|| all.count() as usize)
}

#[cfg(not(all(any(target_os = "linux", target_os = "android"), not(miri))))]
fn of_a_pinned_thread() -> Option<usize> {
    None
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    #[test]
    fn a_thread_that_is_pinned_to_a_core_counts_those_of_all_threads() {
        let all = cores();
        let pinned = thread::spawn(|| {
            let allowed = sched_getaffinity(None).unwrap();
            let mut one = CpuSet::new();
            one.set((0..).find(|core| allowed.is_set(*core)).unwrap());
            sched_setaffinity(None, &one).unwrap();
            cores()
        });
        assert_eq!(pinned.join().unwrap(), all);
    }
}
