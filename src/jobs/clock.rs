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
    pub(super) fn in_world(world: &World, start: Stopwatch) -> Self {
        let since = || start.elapsed();
        let game = world.get_resource::<Time<Virtual>>().map(Time::elapsed);
        let any = || world.get_resource::<Time>().map(Time::elapsed);
        let real = world.get_resource::<Time<Real>>().map(Time::elapsed);
        Self {
            app: game.or_else(any).unwrap_or_else(since),
            real: real.unwrap_or_else(since),
        }
    }
}
