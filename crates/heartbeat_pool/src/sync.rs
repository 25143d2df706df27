//! The one place that names a synchronisation primitive: core's and std's, or loom's under
//! `--cfg heartbeat_loom`, where the layers up to `sleep` are model-checked.

#[cfg(heartbeat_loom)]
pub(crate) use loom::{
    sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

#[cfg(not(heartbeat_loom))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

use std::sync::PoisonError;

/// Locks `mutex` whatever became of its last holder: no data here is left half-changed by a panic.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
