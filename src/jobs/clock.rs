//! The app's time and the real one, as of this frame.

use crate::stopwatch::Stopwatch;
use bevy_ecs::world::World;
use bevy_time::{Real, Time, Virtual};
use std::time::Duration;

/// How long the app has run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Now {
    /// By `Time<Virtual>`, which stands still while the game is paused, or `Time` in a world that has
    /// no other; in fixed steps that is another clock.
    pub(super) app: Duration,
    /// By `Time<Real>`.
    pub(super) real: Duration,
}

impl Now {
    /// By the world's clocks; without `TimePlugin`, since `start`.
    pub(super) fn of(
        game: Option<&Time<Virtual>>,
        any: Option<&Time>,
        real: Option<&Time<Real>>,
        start: Stopwatch,
    ) -> Self {
        let since = || start.elapsed();
        let app = game.map(Time::elapsed).or_else(|| any.map(Time::elapsed));
        Self {
            app: app.unwrap_or_else(since),
            real: real.map_or_else(since, Time::elapsed),
        }
    }

    pub(super) fn in_world(world: &World, start: Stopwatch) -> Self {
        let (game, any) = (world.get_resource(), world.get_resource());
        Self::of(game, any, world.get_resource(), start)
    }
}
