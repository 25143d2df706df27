//! A cell that is written once.

use super::lock::Gate;
use super::part::point;
use std::panic::Location;

/// std's, with a point at each look, and an initialiser that may have points in it.
#[derive(Debug)]
pub struct OnceLock<T> {
    value: std::sync::OnceLock<T>,
    initialises: Gate,
}

impl<T> OnceLock<T> {
    /// An empty one.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            value: std::sync::OnceLock::new(),
            initialises: Gate::new(),
        }
    }

    /// The value, if it is there.
    #[track_caller]
    pub fn get(&self) -> Option<&T> {
        point(Location::caller());
        self.value.get()
    }

    /// Writes the value, or gives it back.
    ///
    /// # Errors
    ///
    /// When there is one.
    #[track_caller]
    pub fn set(&self, value: T) -> Result<(), T> {
        point(Location::caller());
        let _initialises = self.initialises.enter(Location::caller());
        self.value.set(value)
    }

    /// The value, which `init` makes if it is not there.
    #[track_caller]
    pub fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
        if let Some(value) = self.get() {
            return value;
        }
        // No point: a static is made in one run of a process only, and all runs are to be alike.
        let _initialises = self.initialises.enter(Location::caller());
        if self.value.get().is_none() {
            let _ = self.value.set(init());
        }
        match self.value.get() {
            Some(value) => value,
            None => unreachable!("written above"),
        }
    }
}

impl<T> Default for OnceLock<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> From<T> for OnceLock<T> {
    fn from(value: T) -> Self {
        let once = Self::new();
        let _ = once.value.set(value);
        once
    }
}
