//! The one place that names what threads meet by, blocks one, starts one or tells the time: core's
//! and std's, or loom's under `--cfg heartbeat_loom`, where `models/` check protocols of the lower
//! rooms, or those of `sim` under `--cfg heartbeat_sim`, where the whole pool runs in a
//! scheduler of its own, or those of `transfers` under `--cfg heartbeat_transfers`, which count how
//! often cache lines change hands.

#[cfg(heartbeat_loom)]
pub(crate) use loom::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

#[cfg(heartbeat_sim)]
pub(crate) use crate::sim::{
    Instant, OnceLock,
    atomic::*,
    lock::{Condvar, Mutex, MutexGuard},
    thread,
};
#[cfg(heartbeat_sim)]
pub(crate) use std::sync::Arc;
#[cfg(heartbeat_sim)]
pub(crate) mod hint {
    pub(crate) use crate::sim::spin_loop;
}
#[cfg(heartbeat_sim)]
pub(crate) mod mpsc {
    pub(crate) use crate::sim::{Sender, channel};
}

#[cfg(heartbeat_transfers)]
pub(crate) use crate::transfers::{
    atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence},
    lock::{Condvar, Mutex, MutexGuard},
};
#[cfg(heartbeat_transfers)]
pub(crate) use std::sync::Arc;

#[cfg(not(any(heartbeat_loom, heartbeat_sim, heartbeat_transfers)))]
pub(crate) use std::{
    sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence},
    sync::{Arc, Condvar, Mutex, MutexGuard},
};

/// Not those of the models and the simulation: for what nothing but a guess or a thread's place
/// rests on.
pub(crate) mod real {
    #[cfg(heartbeat_transfers)]
    pub(crate) use crate::transfers::atomic::*;
    #[cfg(not(heartbeat_transfers))]
    pub(crate) use std::sync::atomic::*;
}

// No model of loom's comes to these.
#[cfg(not(heartbeat_sim))]
pub(crate) use std::{
    hint,
    sync::{OnceLock, mpsc},
    thread,
};

#[cfg(not(any(heartbeat_sim, all(target_arch = "wasm32", target_os = "unknown"))))]
pub(crate) use std::time::Instant;

/// Where `std` has no clock, on the web, no time passes. There are no threads either, so nobody
/// waits for any to pass.
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instant;

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
impl Instant {
    pub(crate) fn now() -> Self {
        Self
    }

    pub(crate) fn elapsed(&self) -> Duration {
        Duration::ZERO
    }

    pub(crate) fn saturating_duration_since(&self, _: Self) -> Duration {
        Duration::ZERO
    }
}

#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
impl std::ops::Add<Duration> for Instant {
    type Output = Self;

    fn add(self, _: Duration) -> Self {
        self
    }
}

use std::sync::PoisonError;
#[cfg(all(target_arch = "wasm32", target_os = "unknown"))]
use std::time::Duration;

/// Locks `mutex` whatever became of its last holder: no data here is left half-changed by a panic.
#[cfg_attr(any(heartbeat_sim, heartbeat_transfers), track_caller)]
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
