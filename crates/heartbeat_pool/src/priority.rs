//! What share of the time the system gives a thread. Where it won't be told, threads stay as they are.
//!
//! A nice value alone doesn't make a thread give way on Linux: from 6.6 on whoever runs keeps its core for a
//! slice of some 3 ms, up to the next clock tick, though one of higher priority wakes, and one of low
//! priority gets a turn as long now and then while others run. `SCHED_IDLE` gives way at once, and whoever
//! wakes a thread takes its core for a free one (`sched(7)`).

use std::cell::Cell;

thread_local! {
    static GIVES_WAY: Cell<bool> = const { Cell::new(false) };
}

/// Whether the calling thread's share was made smaller here. Threads that it starts have the same, and can't
/// get more.
pub(crate) fn gives_way() -> bool {
    GIVES_WAY.get()
}

/// Gives the calling thread what others leave, where the system knows such a thing, else the lowest share.
pub(crate) fn leftovers() {
    GIVES_WAY.set(true);
    #[cfg(any(target_os = "linux", target_os = "android"))]
    {
        use thread_priority::{
            NormalThreadSchedulePolicy::Idle, ThreadPriority, ThreadSchedulePolicy::Normal,
        };
        let thread = thread_priority::thread_native_id();
        let (priority, policy) = (ThreadPriority::Min, Normal(Idle));
        _ = thread_priority::set_thread_priority_and_policy(thread, priority, policy);
    }
    #[cfg(not(any(target_os = "linux", target_os = "android", target_arch = "wasm32")))]
    {
        use thread_priority::{ThreadPriority, set_current_thread_priority};
        _ = set_current_thread_priority(ThreadPriority::Min);
    }
}
