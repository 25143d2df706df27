//! What `ParQuery` costs, beside a serial loop and the engine's `par_iter`:
//! `cargo bench --bench query`. Every workload checks its answer; figures are medians of alternated
//! rounds.

#[allow(dead_code, reason = "each bench uses a part")]
mod measure;
mod values;

use bevy_app::App;
use bevy_ecs::system::SystemState;
use bevy_heartbeat::{HeartbeatPlugin, ParQuery};
use std::hint::black_box;
use values::{Value, repeats};

const ROUNDS: usize = 31;

/// About 4 ns.
fn heavy(value: &mut Value) {
    for _ in 0..3 {
        value.step();
        value.0 = black_box(value.0);
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
            Step::Light => values.iter_mut().for_each(|mut value| value.step()),
            Step::Heavy => values.iter_mut().for_each(|mut value| heavy(&mut value)),
        }
    }),
    ("serial columns", |values, step| {
        let mut values = values.query_mut();
        for mut values in values.contiguous_iter_mut().expect("a dense query") {
            match step {
                Step::Light => values.iter_mut().for_each(Value::step),
                Step::Heavy => values.iter_mut().for_each(heavy),
            }
        }
    }),
    ("par_iter", |values, step| {
        let mut values = values.query_mut();
        let values = values.par_iter_mut();
        match step {
            Step::Light => values.for_each(|mut value| value.step()),
            Step::Heavy => values.for_each(|mut value| heavy(&mut value)),
        }
    }),
    ("ParQuery", |values, step| {
        let values = values.par_iter_mut();
        match step {
            Step::Light => values.for_each(|mut value| value.step()),
            Step::Heavy => values.for_each(|mut value| heavy(&mut value)),
        }
    }),
    ("ParQuery columns", |values, step| {
        let values = values.contiguous_par_iter_mut().expect("a dense query");
        match step {
            Step::Light => values.for_each(|mut values| values.iter_mut().for_each(Value::step)),
            Step::Heavy => values.for_each(|mut values| values.iter_mut().for_each(heavy)),
        }
    }),
];

fn iteration(entities: usize, step: Step, name: &str) {
    let repeats = repeats(entities);
    let new = |_| {
        let mut world = values::world(entities);
        let state = SystemState::<ParQuery<&mut Value>>::new(&mut world);
        (world, state)
    };
    let mut worlds = WAYS.each_ref().map(new);
    let ways = WAYS.iter().zip(&mut worlds);
    let mut ways: Vec<_> = ways
        .map(|((_, way), (world, state))| {
            let mut values = state.get_mut(world).expect("a query is always there");
            move || way(&mut values, step)
        })
        .collect();
    let times = measure::alternate(ROUNDS, repeats, &mut ways);
    drop(ways);
    let [(serial, _), others @ ..] = &mut worlds;
    for (world, _) in others {
        let same = values::are_alike(serial, world);
        assert!(same, "each way must step all alike");
    }
    print!("{entities:>9} x {name:<6}");
    for time in &times {
        let nanos = time * 1e9 / entities as f64;
        print!("{nanos:>11.3} ({:>5.2} x)", time / times[0]);
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
