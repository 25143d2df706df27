//! What recording every frame costs: frames of systems with parallel loops, recorded and not, in
//! turn.
//!
//! `cargo bench --bench record`
#![allow(missing_docs, reason = "a program")]

use bevy_app::{App, PostUpdate, Update};
use bevy_ecs::prelude::*;
use bevy_heartbeat::record::Record;
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use heartbeat_pool::record::Recorder;
use std::hint::black_box;
use std::time::{Duration, Instant};

const CREATURES: usize = 20_000;
const ROUNDS: usize = 15;
const FRAMES: usize = 60;

#[derive(Component)]
struct A(f32);
#[derive(Component)]
struct B(f32);
#[derive(Component)]
struct C(f32);

fn think(seed: f32, steps: u32) -> f32 {
    (0..steps).fold(seed, |value, _| black_box(value * 0.999 + 0.001))
}

fn wide_a(mut query: ParQuery<&mut A>) {
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

fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    times[times.len() / 2]
}

/// The median of so many frames, in milliseconds.
fn frames(app: &mut App) -> f64 {
    let frame = |_| {
        let start = Instant::now();
        app.update();
        start.elapsed().as_secs_f64() * 1e3
    };
    median((0..FRAMES).map(frame).collect())
}

fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin {
        threads: Some(2),
        record: Record::LateFrames {
            over: Duration::MAX,
            keep: 40,
        },
        ..Default::default()
    });
    app.add_systems(Update, (wide_a, wide_b, narrow_c));
    app.add_systems(PostUpdate, reads_all);
    app.finish();
    app.cleanup();
    let creature = |i: usize| (A(i as f32), B(0.5), C(0.1));
    app.world_mut().spawn_batch((0..CREATURES).map(creature));
    frames(&mut app);
    let mut ratios = Vec::new();
    for _ in 0..ROUNDS {
        Recorder::start(Recorder::EVENTS);
        let on = frames(&mut app);
        Recorder::stop();
        let off = frames(&mut app);
        ratios.push(on / off);
    }
    println!("recorded to not recorded: {:.3}", median(ratios));
}
