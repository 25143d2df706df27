//! Real time, where the platform has a clock.

use bevy_platform::time::Instant;
use std::time::Duration;

/// Tells how long ago it was started: always just now where the platform has no clock.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopwatch(Option<Instant>);

impl Stopwatch {
    pub(crate) fn start() -> Self {
        Self(has_clock().then(Instant::now))
    }

    pub(crate) fn elapsed(self) -> Duration {
        self.0.map_or(Duration::ZERO, |start| start.elapsed())
    }
}

/// `std` panics for a time on the web; the engine has one there by its feature `web`.
fn has_clock() -> bool {
    bevy_tasks::cfg::web! {
        if {
            true
        } else {
            !cfg!(all(target_arch = "wasm32", target_os = "unknown"))
        }
    }
}
