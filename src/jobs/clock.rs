//! The app's time and the real one, as of this frame.

use bevy_ecs::world::World;
use bevy_platform::time::Instant;
use bevy_time::{Real, Time};
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

/// How long the app has run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Now {
    /// By `Time`, which stands still while the game is paused.
    pub(super) app: Duration,
    /// By `Time<Real>`.
    pub(super) real: Duration,
}

impl Now {
    /// By the app's clocks; without `TimePlugin`, since `start`.
    pub(super) fn of(app: Option<&Time>, real: Option<&Time<Real>>, start: Stopwatch) -> Self {
        let since = || start.elapsed();
        Self {
            app: app.map_or_else(since, Time::elapsed),
            real: real.map_or_else(since, Time::elapsed),
        }
    }

    pub(super) fn in_world(world: &World, start: Stopwatch) -> Self {
        Self::of(world.get_resource(), world.get_resource(), start)
    }
}
