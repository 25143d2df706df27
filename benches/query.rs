//! What `ParQuery` costs, beside a serial loop and the engine's `par_iter`: `cargo bench --bench query`.
//! Every workload checks its answer; figures are medians of alternated rounds.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemState;
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 31;
/// Little work is repeated until a round has gone through this many entities.
const ENTITIES_A_ROUND: usize = 100_000;

#[derive(Component)]
struct Value(f32);

/// About 0.4 ns where the compiler makes vectors of it.
fn light(value: &mut Value) {
    value.0 = (value.0 * 0.99 + 0.01).sqrt();
}

/// About 10 ns.
fn heavy(value: &mut Value) {
    for _ in 0..3 {
        value.0 = black_box((value.0 * 0.99 + 0.01).sqrt());
    }
}

/// A way to go through all values.
type Way = (&'static str, fn(&mut ParQuery<&mut Value>, Step));

#[derive(Clone, Copy)]
enum Step {
    Light,
    Heavy,
}

/// The ways, the serial one first. Each names the step outright, so that it is compiled in.
const WAYS: [Way; 5] = [
    ("serial", |values, step| {
        let mut values = values.query_mut();
        match step {
            Step::Light => values.iter_mut().for_each(|mut value| light(&mut value)),
            Step::Heavy => values.iter_mut().for_each(|mut value| heavy(&mut value)),
        }
    }),
    ("serial columns", |values, step| {
        let mut values = values.query_mut();
        for mut values in values.contiguous_iter_mut().expect("a dense query") {
            match step {
                Step::Light => values.iter_mut().for_each(light),
                Step::Heavy => values.iter_mut().for_each(heavy),
            }
        }
    }),
    ("par_iter", |values, step| {
        let mut values = values.query_mut();
        let values = values.par_iter_mut();
        match step {
            Step::Light => values.for_each(|mut value| light(&mut value)),
            Step::Heavy => values.for_each(|mut value| heavy(&mut value)),
        }
    }),
    ("ParQuery", |values, step| {
        let values = values.par_iter_mut();
        match step {
            Step::Light => values.for_each(|mut value| light(&mut value)),
            Step::Heavy => values.for_each(|mut value| heavy(&mut value)),
        }
    }),
    ("ParQuery columns", |values, step| {
        let values = values.contiguous_par_iter_mut().expect("a dense query");
        match step {
            Step::Light => values.for_each(|mut values| values.iter_mut().for_each(light)),
            Step::Heavy => values.for_each(|mut values| values.iter_mut().for_each(heavy)),
        }
    }),
];

fn sum(world: &mut World) -> f32 {
    let mut values = world.query::<&Value>();
    values.iter(world).map(|value| value.0).sum()
}

fn iteration(entities: usize, step: Step, name: &str) {
    let repeats = (ENTITIES_A_ROUND / entities).max(1);
    let mut worlds: Vec<_> = WAYS
        .iter()
        .map(|_| {
            let mut world = World::new();
            world.spawn_batch((0..entities).map(|i| Value(i as f32)));
            let state = SystemState::<ParQuery<&mut Value>>::new(&mut world);
            (world, state, Vec::new())
        })
        .collect();
    for round in 0..=ROUNDS {
        for ((_, way), (world, state, times)) in WAYS.iter().zip(&mut worlds) {
            let mut values = state.get_mut(world).expect("a query is always there");
            let start = Instant::now();
            for _ in 0..repeats {
                way(&mut values, step);
            }
            let nanos = start.elapsed().as_secs_f64() * 1e9 / (repeats * entities) as f64;
            // The first round warms up.
            if round > 0 {
                times.push(nanos);
            }
        }
    }
    let expected = sum(&mut worlds[0].0);
    let mut base = None;
    print!("{entities:>9} x {name:<6}");
    for (world, _, times) in &mut worlds {
        assert!(sum(world) == expected, "each way must step all alike");
        times.sort_by(f64::total_cmp);
        let median = times[ROUNDS / 2];
        let base = *base.get_or_insert(median);
        print!("{median:>11.3} ({:>5.2} x)", median / base);
    }
    println!();
}

fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default());
    println!("nanoseconds an entity, and times the first");
    print!("{:<18}", "");
    WAYS.iter().for_each(|(name, _)| print!("{name:>21}"));
    println!();
    // From inside of the pool, where systems run.
    heartbeat_pool::global().with_worker(|_| {
        for (step, name) in [(Step::Light, "light"), (Step::Heavy, "heavy")] {
            for entities in [100, 1_000, 10_000, 100_000, 1_000_000] {
                iteration(entities, step, name);
            }
        }
    });
}
