//! Locks and condition variables.

use super::Instant;
use super::part::{block, is_simulated, is_spurious, point, wake};
use super::world::On;
use std::ops::{Deref, DerefMut};
use std::panic::Location;
use std::ptr;
use std::sync::{LockResult, PoisonError, TryLockError};
use std::time::Duration;

/// std's, with a point before it is locked and after it is unlocked. Never poisoned.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(std::sync::Mutex<T>);

/// The right to what a mutex guards.
#[derive(Debug)]
pub struct MutexGuard<'a, T: ?Sized> {
    mutex: &'a Mutex<T>,
    /// None while it waits for a signal, and in its drop.
    inner: Option<std::sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    /// What it guards.
    ///
    /// # Errors
    ///
    /// Never.
    pub fn into_inner(self) -> LockResult<T> {
        Ok(self.0.into_inner().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<T: ?Sized> Mutex<T> {
    fn on(&self) -> On {
        On::Lock(ptr::from_ref(self).cast::<()>().addr())
    }

    /// Locks it.
    ///
    /// # Errors
    ///
    /// Never.
    #[track_caller]
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        let site = Location::caller();
        point(site);
        Ok(MutexGuard {
            mutex: self,
            inner: Some(self.acquire(site)),
        })
    }

    fn acquire(&self, site: &'static Location<'static>) -> std::sync::MutexGuard<'_, T> {
        loop {
            match self.0.try_lock() {
                Ok(guard) => return guard,
                Err(TryLockError::Poisoned(poisoned)) => return poisoned.into_inner(),
                Err(TryLockError::WouldBlock) => {}
            }
            if block(self.on(), None, site).is_none() {
                return self.0.lock().unwrap_or_else(PoisonError::into_inner);
            }
        }
    }
}

impl<T: ?Sized> Deref for MutexGuard<'_, T> {
    type Target = T;
    fn deref(&self) -> &T {
        match &self.inner {
            Some(inner) => inner,
            None => unreachable!("a guard that waits is not at hand"),
        }
    }
}

impl<T: ?Sized> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.inner {
            Some(inner) => inner,
            None => unreachable!("a guard that waits is not at hand"),
        }
    }
}

impl<T: ?Sized> Drop for MutexGuard<'_, T> {
    fn drop(&mut self) {
        if self.inner.take().is_some() {
            wake(self.mutex.on(), false);
            point(Location::caller());
        }
    }
}

/// A lock without points.
#[derive(Debug)]
pub(super) struct Gate(Mutex<()>);

/// The right to be inside of a gate.
pub(super) struct Entered<'a>(&'a Gate, Option<std::sync::MutexGuard<'a, ()>>);

impl Gate {
    pub(super) const fn new() -> Self {
        Self(Mutex::new(()))
    }

    pub(super) fn enter(&self, site: &'static Location<'static>) -> Entered<'_> {
        Entered(self, Some(self.0.acquire(site)))
    }
}

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        self.1 = None;
        wake(self.0.0.on(), false);
    }
}

/// Whether a wait ended by its timeout.
#[derive(Clone, Copy, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    /// Whether it did.
    #[must_use]
    pub fn timed_out(&self) -> bool {
        self.0
    }
}

/// std's, whose waiters the run chooses among.
#[derive(Debug, Default)]
pub struct Condvar {
    /// For waits outside of runs; its address is what others are blocked on.
    inner: std::sync::Condvar,
}

impl Condvar {
    /// One that nobody waits for.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            inner: std::sync::Condvar::new(),
        }
    }

    fn on(&self) -> On {
        On::Signal(ptr::from_ref(&self.inner).addr())
    }

    /// Waits for a signal.
    ///
    /// # Errors
    ///
    /// Never.
    #[track_caller]
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        Ok(self.wait_for(guard, None, Location::caller()).0)
    }

    /// As [`wait`](Self::wait), for `timeout` at most.
    ///
    /// # Errors
    ///
    /// Never.
    #[track_caller]
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        timeout: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        Ok(self.wait_for(guard, Some(timeout), Location::caller()))
    }

    /// As [`wait_timeout`](Self::wait_timeout), until `condition` is false.
    ///
    /// # Errors
    ///
    /// Never.
    #[track_caller]
    pub fn wait_timeout_while<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Duration,
        mut condition: impl FnMut(&mut T) -> bool,
    ) -> LockResult<(MutexGuard<'a, T>, WaitTimeoutResult)> {
        let start = Instant::now();
        while condition(&mut guard) {
            let left = timeout.saturating_sub(start.elapsed());
            if left.is_zero() {
                return Ok((guard, WaitTimeoutResult(true)));
            }
            guard = self.wait_for(guard, Some(left), Location::caller()).0;
        }
        Ok((guard, WaitTimeoutResult(false)))
    }

    fn wait_for<'a, T>(
        &self,
        mut guard: MutexGuard<'a, T>,
        timeout: Option<Duration>,
        site: &'static Location<'static>,
    ) -> (MutexGuard<'a, T>, WaitTimeoutResult) {
        let mutex = guard.mutex;
        let Some(inner) = guard.inner.take() else {
            unreachable!("a guard that waits is not at hand");
        };
        drop(guard);
        if !is_simulated() {
            let long = timeout.unwrap_or(Duration::from_secs(1 << 30));
            let waited = self.inner.wait_timeout(inner, long);
            let (inner, result) = waited.unwrap_or_else(PoisonError::into_inner);
            let result = WaitTimeoutResult(result.timed_out());
            return (
                MutexGuard {
                    mutex,
                    inner: Some(inner),
                },
                result,
            );
        }
        drop(inner);
        wake(mutex.on(), false);
        let woken = if is_spurious() {
            point(site);
            true
        } else {
            block(self.on(), timeout, site) == Some(true)
        };
        let inner = Some(mutex.acquire(site));
        (MutexGuard { mutex, inner }, WaitTimeoutResult(!woken))
    }

    /// Signals one.
    #[track_caller]
    pub fn notify_one(&self) {
        point(Location::caller());
        wake(self.on(), true);
        self.inner.notify_one();
    }

    /// Signals all.
    #[track_caller]
    pub fn notify_all(&self) {
        point(Location::caller());
        wake(self.on(), false);
        self.inner.notify_all();
    }
}
