//! How readily the system runs lower threads. Where it won't be told, they stay as they are.
//!
//! What each rank of the system's comes to is told in `docs/mechanisms.md`.

use std::cell::Cell;

/// How readily the system runs a pool's [lower threads](crate::ThreadPoolBuilder::lower_threads).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerPriority {
    /// As readily as others: beside busy programs they keep their share.
    #[default]
    Usual,
    /// With what others leave: `SCHED_IDLE` on Linux, `THREAD_PRIORITY_LOWEST` on Windows, the
    /// quality of service "utility" on Apple's systems, and elsewhere as `Usual`. On Linux
    /// frames lose least, and these threads may use every core; but beside other busy programs, and
    /// beside frames that follow each other without a pause, they all but stand still, and so does
    /// a frame that wants a lock which one of them holds; and threads that their jobs start have
    /// the same, for good.
    Leftovers,
}

impl LowerPriority {
    /// Whether the system has such threads give way to others.
    pub(crate) fn gives_way(self) -> bool {
        heartbeat_system::HAS_LEFTOVERS && self == Self::Leftovers
    }
}

thread_local! {
    static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread's priority was made lower here. Threads that it starts have the same.
pub(crate) fn gives_way() -> bool {
    GIVES_WAY.get()
}

/// Has the system run the calling thread so.
pub(crate) fn take(priority: LowerPriority) {
    if priority == LowerPriority::Leftovers {
        GIVES_WAY.set(true);
        heartbeat_system::take_leftovers();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_thread_gives_way_for_good_where_it_has_what_others_leave() {
        for priority in [LowerPriority::Usual, LowerPriority::Leftovers] {
            let thread = thread::spawn(move || {
                take(priority);
                gives_way()
            });
            let has_leftovers = priority == LowerPriority::Leftovers;
            assert_eq!(thread.join().unwrap(), has_leftovers);
        }
        assert!(!gives_way());
    }
}
