//! What programs stand on: the facade of the scheduler, or std.

#[cfg(heartbeat_sim)]
pub use heartbeat_pool::sim::{
    fail as report,
    lock::{Mutex, MutexGuard},
    note, pass, thread,
};
#[cfg(not(heartbeat_sim))]
pub use std::{
    sync::{Mutex, MutexGuard},
    thread,
};

#[cfg(not(heartbeat_sim))]
pub use crate::real::{note, pass, report};

/// Locks `mutex`.
#[track_caller]
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
