//! Entities whose values tell how often each was stepped.

use bevy_ecs::prelude::*;

/// Little work is repeated until a round has gone through this many values.
const VALUES_A_ROUND: usize = 100_000;

/// How many times so many values are gone through in a round.
pub fn repeats(values: usize) -> usize {
    (VALUES_A_ROUND / values).max(1)
}

#[derive(Component)]
pub struct Value(pub f32);

impl Value {
    /// What the value at that place begins with.
    pub fn new(place: usize) -> Self {
        Self((place % 1000) as f32)
    }

    /// Its square grows by one: after a hundred thousand steps, too, one that was left out is seen.
    /// About 0.3 ns where the compiler makes vectors of it.
    pub fn step(&mut self) {
        self.0 = (self.0 * self.0 + 1.0).sqrt();
    }
}

/// A world of so many values.
pub fn world(entities: usize) -> World {
    let mut world = World::new();
    world.spawn_batch((0..entities).map(Value::new));
    world
}

/// Whether the values of both have been stepped equally often.
pub fn are_alike(world: &mut World, other: &mut World) -> bool {
    let values = |world: &mut World| -> Vec<_> {
        let mut values = world.query::<&Value>();
        values.iter(world).map(|value| value.0.to_bits()).collect()
    };
    values(world) == values(other)
}
