//! Frames of two parallel loops, a serial system and one more schedule.

use bevy_app::{App, PostUpdate, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::ParQuery;
use std::hint::black_box;

const CREATURES: usize = 20_000;
/// With what each of their parts begins.
const BIRTH: [f32; 3] = [0.5, 0.5, 0.1];
/// The steps of arithmetic that each part takes a frame.
pub const STEPS: [u32; 3] = [40, 25, 30];
/// How many have their third part think.
const NARROW: usize = CREATURES / 4;

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
    let [a, b, c] = BIRTH;
    let creatures = (0..CREATURES).map(move |_| (A(a), B(b), C(c)));
    app.world_mut().spawn_batch(creatures);
}

pub fn wide_a(mut query: ParQuery<&mut A>) {
    query
        .par_iter_mut()
        .for_each(|mut a| a.0 = think(a.0, STEPS[0]));
}

fn wide_b(mut query: ParQuery<&mut B>) {
    query
        .par_iter_mut()
        .for_each(|mut b| b.0 = think(b.0, STEPS[1]));
}

fn narrow_c(mut query: Query<&mut C>) {
    for mut c in query.iter_mut().take(NARROW) {
        c.0 = think(c.0, STEPS[2]);
    }
}

fn reads_all(query: Query<(&A, &B, &C)>) {
    let sum = |(a, b, c): (&A, &B, &C)| a.0 + b.0 + think(c.0, 2);
    black_box(query.iter().map(sum).sum::<f32>());
}

/// Has all creatures be as they were born, so that `check` knows where they are to come.
pub fn begin_again(app: &mut App) {
    let mut creatures = app.world_mut().query::<(&mut A, &mut B, &mut C)>();
    for (mut a, mut b, mut c) in creatures.iter_mut(app.world_mut()) {
        [a.0, b.0, c.0] = BIRTH;
    }
}

/// Fails unless each creature of a `mixed` app has thought in each of the frames since then.
pub fn check(app: &mut App, frames: u32) {
    let after = |part: usize| think(BIRTH[part], STEPS[part] * frames);
    let wide = [after(0), after(1), BIRTH[2]];
    let narrow = [after(0), after(1), after(2)];
    let mut creatures = app.world_mut().query::<(&A, &B, &C)>();
    let mut seen = 0;
    for (i, (a, b, c)) in creatures.iter(app.world()).enumerate() {
        let expected = if i < NARROW { narrow } else { wide };
        assert!(
            [a.0, b.0, c.0] == expected,
            "creature {i} has missed a frame"
        );
        seen += 1;
    }
    assert_eq!(seen, CREATURES, "creatures are missing");
}

/// Has `app` have such frames.
pub fn mixed(app: &mut App) {
    populate(app);
    app.add_systems(Update, (wide_a, wide_b, narrow_c));
    app.add_systems(PostUpdate, reads_all);
}
