//! Frames of several shapes. Each does the same arithmetic in each frame, however long that takes.

use crate::loops::{A, STEPS, mixed, populate, think, wide_a};
use bevy_app::{App, Update};
use bevy_ecs::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// A name, and what makes an app have such frames.
pub type Workload = (&'static str, fn(&mut App));

pub const ALL: [Workload; 8] = [
    ("32 systems of 20 to 200 us", many),
    ("a chain of 10 systems of 100 us", chain),
    ("6 pairs that conflict, 100 us each", pairs),
    ("a system with a ParQuery loop", par_query),
    ("a system with a Query loop", query),
    ("300 systems of 1 us", tiny),
    ("loops, a serial system, two schedules", mixed),
    (
        "living_world's creatures, 100,000",
        super::living::creatures,
    ),
];

#[derive(Resource)]
struct Own<const N: usize>(f32);

/// The steps that take so many microseconds here.
fn steps(micros: f32) -> u32 {
    const TRIED: u32 = 100_000;
    let trial = |_| {
        let start = Instant::now();
        black_box(think(1.0, TRIED));
        start.elapsed().as_secs_f32() * 1e6
    };
    let best = (0..20).map(trial).fold(f32::INFINITY, f32::min);
    (micros / best * TRIED as f32) as u32
}

fn system(steps: u32) -> impl FnMut() {
    move || {
        black_box(think(0.5, steps));
    }
}

fn many(app: &mut App) {
    let least = steps(20.0);
    for place in 0..32 {
        // As far apart as 20 and 200, in no order.
        let share = (place * 13 % 32) as f32 / 31.0;
        let own = (least as f32 * (1.0 + 9.0 * share)) as u32;
        app.add_systems(Update, system(own));
    }
}

fn chain(app: &mut App) {
    let steps = steps(100.0);
    let one = || system(steps);
    let first = (one(), one(), one(), one(), one()).chain();
    let last = (one(), one(), one(), one(), one()).chain();
    app.add_systems(Update, (first, last).chain());
}

fn pairs(app: &mut App) {
    let steps = steps(100.0);
    add_pair::<0>(app, steps);
    add_pair::<1>(app, steps);
    add_pair::<2>(app, steps);
    add_pair::<3>(app, steps);
    add_pair::<4>(app, steps);
    add_pair::<5>(app, steps);
}

fn add_pair<const N: usize>(app: &mut App, steps: u32) {
    app.insert_resource(Own::<N>(0.5));
    let writes = || move |mut own: ResMut<Own<N>>| own.0 = think(own.0, steps);
    app.add_systems(Update, (writes(), writes()));
}

fn tiny(app: &mut App) {
    let steps = steps(1.0);
    for _ in 0..300 {
        app.add_systems(Update, system(steps));
    }
}

fn par_query(app: &mut App) {
    populate(app);
    app.add_systems(Update, wide_a);
}

fn query(app: &mut App) {
    populate(app);
    app.add_systems(Update, |mut query: Query<&mut A>| {
        query
            .par_iter_mut()
            .for_each(|mut a| a.0 = think(a.0, STEPS[0]));
    });
}
