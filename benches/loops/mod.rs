//! Frames of two parallel loops, a serial system and one more schedule.

use bevy_app::{App, PostUpdate, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::ParQuery;
use std::hint::black_box;

const CREATURES: usize = 20_000;

#[derive(Component)]
pub struct A(pub f32);
#[derive(Component)]
pub struct B(f32);
#[derive(Component)]
pub struct C(f32);

/// Steps of arithmetic that nothing shortens.
pub fn think(seed: f32, steps: u32) -> f32 {
    (0..steps).fold(seed, |value, _| black_box(value * 0.999 + 0.001))
}

pub fn populate(app: &mut App) {
    let creature = |i: usize| (A(i as f32), B(0.5), C(0.1));
    app.world_mut().spawn_batch((0..CREATURES).map(creature));
}

pub fn wide_a(mut query: ParQuery<&mut A>) {
    query.par_iter_mut().for_each(|mut a| a.0 = think(a.0, 40));
}

fn wide_b(mut query: ParQuery<&mut B>) {
    query.par_iter_mut().for_each(|mut b| b.0 = think(b.0, 25));
}

fn narrow_c(mut query: Query<&mut C>) {
    for mut c in query.iter_mut().take(CREATURES / 4) {
        c.0 = think(c.0, 30);
    }
}

fn reads_all(query: Query<(&A, &B, &C)>) {
    let sum = |(a, b, c): (&A, &B, &C)| a.0 + b.0 + think(c.0, 2);
    black_box(query.iter().map(sum).sum::<f32>());
}

/// Has `app` have such frames.
pub fn mixed(app: &mut App) {
    populate(app);
    app.add_systems(Update, (wide_a, wide_b, narrow_c));
    app.add_systems(PostUpdate, reads_all);
}
