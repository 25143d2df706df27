//! A system that tells nothing.

use std::time::Duration;

/// A clock of the time for which a thread has had a core. There is none.
#[derive(Debug)]
pub(crate) enum Clock {}

impl Clock {
    /// That of the calling thread.
    pub(crate) fn of_this_thread() -> Option<Self> {
        None
    }

    /// What it shows, for any thread that asks.
    pub(crate) fn read(&self) -> Option<Duration> {
        match *self {}
    }
}

/// Whether what a clock shows of a thread that runs is as old as the last tick, or time slice.
pub(crate) const CLOCKS_TICK: bool = false;

/// Whether [`take_leftovers`] makes a difference.
pub const HAS_LEFTOVERS: bool = false;

/// Has the calling thread run with what others leave.
pub fn take_leftovers() {}
