//! std's mutex and condition variable: a lock and a signal are writes of their lines.

use super::lines::{read, write};
use std::panic::Location;
use std::ptr;
pub use std::sync::MutexGuard;
use std::sync::{LockResult, WaitTimeoutResult};
use std::time::Duration;

/// std's, counted.
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// What it guards.
    ///
    /// # Errors
    ///
    /// When a holder has panicked.
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }

    /// Waits for the lock, and takes it. What is noted is the taking.
    ///
    /// # Errors
    ///
    /// When a holder has panicked.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let guard = self.0.lock();
        write(ptr::from_ref(self).addr(), Location::caller());
        guard
    }
}

/// std's, counted.
#[derive(Debug, Default)]
pub struct Condvar(std::sync::Condvar);

impl Condvar {
    /// One that nobody waits for.
    pub const fn new() -> Self {
        Self(std::sync::Condvar::new())
    }

    /// Waits for a signal.
    ///
    /// # Errors
    ///
    /// When a holder of the mutex has panicked.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        read(ptr::from_ref(self).addr(), Location::caller());
        self.0.wait(guard)
    }

    /// The same, for `timeout` at most.
    ///
    /// # Errors
    ///
    /// As there.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        read(ptr::from_ref(self).addr(), Location::caller());
        self.0.wait_timeout(guard, timeout)
    }

    /// The same, for as long as `condition` holds.
    ///
    /// # Errors
    ///
    /// As there.
    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
        condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        read(ptr::from_ref(self).addr(), Location::caller());
        self.0.wait_timeout_while(guard, timeout, condition)
    }

    /// Wakes one who waits.
    #[track_caller]
    pub fn notify_one(&self) {
        write(ptr::from_ref(self).addr(), Location::caller());
        self.0.notify_one();
    }

    /// Wakes all who wait.
    #[track_caller]
    pub fn notify_all(&self) {
        write(ptr::from_ref(self).addr(), Location::caller());
        self.0.notify_all();
    }
}
