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
    /// As readily as others, in longer turns: on Linux, from 6.12 on, a frame's thread that wakes
    /// comes before one that is in the midst of its turn. Beside busy programs they keep their
    /// share. Elsewhere and before they run as others do.
    #[default]
    LongTurns,
    /// With what others leave: `SCHED_IDLE` on Linux, `THREAD_PRIORITY_LOWEST` on Windows, the
    /// quality of service "utility" on Apple's systems, and elsewhere as `LongTurns`. On Linux
    /// frames lose least, and these threads may use every core; but beside other busy programs, and
    /// beside frames that follow each other without a pause, they all but stand still, and so does
    /// a frame that wants a lock which one of them holds; and threads that their jobs start have
    /// the same, for good.
    Leftovers,
}

impl LowerPriority {
    /// Whether the system has such threads give way to others.
    pub(crate) fn gives_way(self) -> bool {
        let can = cfg!(any(
            target_os = "linux",
            target_os = "android",
            windows,
            target_vendor = "apple"
        ));
        can && self == Self::Leftovers
    }
}

thread_local! {
    static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread's priority was made lower here. Threads that it starts have the same.
pub(crate) fn is_lower_thread() -> bool {
    GIVES_WAY.get()
}

/// Makes the calling thread a lower one.
pub(crate) fn lower(priority: LowerPriority) {
    GIVES_WAY.set(true);
    match priority {
        LowerPriority::LongTurns => system::long_turns(),
        LowerPriority::Leftovers => system::leftovers(),
    }
}

#[cfg(all(
    any(target_os = "linux", target_os = "android"),
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod system {
    /// A turn, in nanoseconds: four times the usual one. Longer ones make no frame quicker, and
    /// background jobs slower where others are busy.
    pub(super) const TURN: u64 = 12_000_000;

    /// The kernel's `struct sched_attr`, as far as all kernels that have it know it.
    #[repr(C)]
    #[derive(Default)]
    pub(super) struct Attributes {
        size: u32,
        policy: u32,
        flags: u64,
        nice: i32,
        priority: u32,
        /// For a usual thread its slice, from Linux 6.12 on; 0 and ignored before.
        pub(super) runtime: u64,
        deadline: u64,
        period: u64,
    }

    const THIS_THREAD: libc::pid_t = 0;
    const NO_FLAGS: libc::c_uint = 0;

    /// Those of the calling thread.
    pub(super) fn attributes() -> Option<Attributes> {
        let mut attributes = Attributes::default();
        let (to, size) = (&raw mut attributes, size_of::<Attributes>() as u32);
        // SAFETY: the kernel writes `size` bytes at most to where `to` points, where there are as
        // many, and numbers of any value are valid there.
        let result =
            unsafe { libc::syscall(libc::SYS_sched_getattr, THIS_THREAD, to, size, NO_FLAGS) };
        (result == 0).then_some(attributes)
    }

    pub(super) fn long_turns() {
        // Whoever starts threads of another policy has a reason.
        // `SCHED_OTHER`, or `SCHED_NORMAL` as Android says.
        let usual = |attributes: &Attributes| attributes.policy == 0;
        let Some(mut attributes) = attributes().filter(usual) else {
            return;
        };
        attributes.size = size_of::<Attributes>() as u32;
        attributes.runtime = TURN;
        let from = &raw const attributes;
        // SAFETY: the kernel reads as many bytes from where `from` points, as that says itself.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setattr, THIS_THREAD, from, NO_FLAGS) };
    }

    pub(super) fn leftovers() {
        let priority: libc::c_int = 0;
        let (policy, from) = (libc::SCHED_IDLE, &raw const priority);
        // By number, for musl's function does nothing.
        // SAFETY: the kernel reads a `struct sched_param` from where `from` points, which is this
        // one number.
        let _ = unsafe { libc::syscall(libc::SYS_sched_setscheduler, THIS_THREAD, policy, from) };
    }
}

#[cfg(all(windows, not(any(miri, heartbeat_loom, heartbeat_sim))))]
mod system {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_LOWEST,
    };

    pub(super) fn long_turns() {}

    pub(super) fn leftovers() {
        // SAFETY: it has no conditions.
        let thread = unsafe { GetCurrentThread() };
        // SAFETY: the handle stands for the calling thread, always.
        let _ = unsafe { SetThreadPriority(thread, THREAD_PRIORITY_LOWEST) };
    }
}

#[cfg(all(target_vendor = "apple", not(any(miri, heartbeat_loom, heartbeat_sim))))]
mod system {
    use libc::qos_class_t::QOS_CLASS_UTILITY;

    pub(super) fn long_turns() {}

    pub(super) fn leftovers() {
        // SAFETY: it has no conditions.
        let _ = unsafe { libc::pthread_set_qos_class_self_np(QOS_CLASS_UTILITY, 0) };
    }
}

#[cfg(any(
    not(any(
        target_os = "linux",
        target_os = "android",
        windows,
        target_vendor = "apple"
    )),
    miri,
    heartbeat_loom,
    heartbeat_sim
))]
mod system {
    pub(super) fn long_turns() {}

    pub(super) fn leftovers() {}
}

#[cfg(all(
    test,
    target_os = "linux",
    not(any(miri, heartbeat_loom, heartbeat_sim))
))]
mod tests {
    use super::*;

    #[test]
    fn turns_are_long_where_the_system_knows_their_length() {
        std::thread::spawn(|| {
            let Some(before) = system::attributes() else {
                return;
            };
            lower(LowerPriority::LongTurns);
            assert!(is_lower_thread());
            let is_known = before.runtime != 0;
            let after = system::attributes().unwrap();
            assert!(!is_known || after.runtime == system::TURN);
        })
        .join()
        .unwrap();
        assert!(!is_lower_thread());
    }
}
