//! The app's time and the real one, as of this frame.

use crate::stopwatch::Stopwatch;
use bevy_ecs::world::World;
use bevy_time::{Real, Time};
use std::time::Duration;

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
