//! How readily the system runs lower threads. Where it won't be told, they stay as they are.
//!
//! A nice value makes a thread no quicker to give way on Linux: from 6.6 on whoever runs keeps its
//! core for a slice of some 3 ms, up to the next clock tick, though one of higher priority wakes.
//! Two things do: `SCHED_IDLE`, and from 6.12 on a slice that is longer than the other's, which
//! costs no share (`sched(7)`, `sched_setattr(2)`).

use std::cell::Cell;

/// How readily the system runs a pool's [lower threads](crate::ThreadPoolBuilder::lower_threads).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum LowerPriority {
    /// As readily as others, in longer time slices: on Linux, from 6.12 on, a frame's thread that
    /// wakes comes before one that is in the midst of its slice. Beside busy programs they keep
    /// their share. Elsewhere and before they run as others do.
    #[default]
    LongSlices,
    /// With what others leave: `SCHED_IDLE` on Linux, `THREAD_PRIORITY_LOWEST` on Windows, the
    /// quality of service "utility" on Apple's systems, and elsewhere as `LongSlices`. On Linux
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
pub(crate) fn is_lower_thread() -> bool {
    GIVES_WAY.get()
}

pub(crate) fn lower(priority: LowerPriority) {
    GIVES_WAY.set(true);
    match priority {
        LowerPriority::LongSlices => heartbeat_system::take_long_slices(),
        LowerPriority::Leftovers => heartbeat_system::take_leftovers(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::thread;

    #[test]
    fn a_lower_thread_is_one_for_good_and_others_are_not() {
        for priority in [LowerPriority::LongSlices, LowerPriority::Leftovers] {
            let thread = thread::spawn(move || {
                lower(priority);
                is_lower_thread()
            });
            assert!(thread.join().unwrap());
        }
        assert!(!is_lower_thread());
    }
}
