//! What parallel iteration and schedules cost on the pool, against serial code in the same process:
//! `cargo bench`. Every workload checks its answer; figures are medians of alternated rounds.

#[allow(dead_code, reason = "each bench uses a part")]
mod measure;
mod values;

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{MultiThreadedExecutor, SingleThreadedExecutor, SystemExecutor};
use bevy_heartbeat::{AdaptiveExecutor, HeartbeatPlugin};
use bevy_tasks::{ComputeTaskPool, ParallelSliceMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use values::{Value, repeats};

const ROUNDS: usize = 31;
/// Few systems are run again until a round has run this many.
const SYSTEMS_A_ROUND: usize = 1_000;

/// The median times of `a` and `b`, in microseconds, called in turn.
fn alternate(repeats: usize, mut a: impl FnMut(), mut b: impl FnMut()) -> [f64; 2] {
    let mut ways: [&mut dyn FnMut(); 2] = [&mut a, &mut b];
    let times = measure::alternate(ROUNDS, repeats, &mut ways);
    [times[0] * 1e6, times[1] * 1e6]
}

fn print(name: &str, [base, ours]: [f64; 2]) {
    println!(
        "{name:<52} {base:>12.2} {ours:>12.2} {:>8.2} x",
        ours / base
    );
}

fn iteration(entities: usize) {
    let (mut world, mut other) = (values::world(entities), values::world(entities));
    let mut serial = world.query::<&mut Value>();
    let mut parallel = other.query::<&mut Value>();
    let times = alternate(
        repeats(entities),
        || {
            let values = serial.iter_mut(&mut world);
            values.for_each(|mut value| value.step());
        },
        || {
            let mut values = parallel.query_mut(&mut other);
            values.par_iter_mut().for_each(|mut value| value.step());
        },
    );
    let same = values::are_alike(&mut world, &mut other);
    assert!(same, "both must step each entity alike");
    print(
        &format!("par_iter_mut over {entities}, to a serial loop"),
        times,
    );
}

fn schedule(systems: usize, name: &str, executor: impl SystemExecutor + 'static) {
    let ran = Arc::new(AtomicUsize::new(0));
    fn build(
        executor: impl SystemExecutor + 'static,
        systems: usize,
        ran: &Arc<AtomicUsize>,
    ) -> Schedule {
        let mut schedule = Schedule::default();
        schedule.set_executor(executor);
        for _ in 0..systems {
            let ran = ran.clone();
            schedule.add_systems(move || _ = ran.fetch_add(1, Ordering::Relaxed));
        }
        schedule
    }
    let mut single = build(SingleThreadedExecutor::new(), systems, &ran);
    let mut multi = build(executor, systems, &ran);
    let (mut world, mut other) = (World::new(), World::new());
    let repeats = SYSTEMS_A_ROUND / systems;
    let times = alternate(repeats, || single.run(&mut world), || multi.run(&mut other));
    assert_eq!(
        ran.load(Ordering::Relaxed),
        2 * systems * repeats * (ROUNDS + 1),
        "every system must run each time"
    );
    print(
        &format!("{systems} tiny systems, {name}, to the serial one"),
        times,
    );
}

/// Chunks of 64 values by `ParallelSliceMut`, whose caller chose their length.
fn chunks(values: usize) {
    let new = || -> Vec<_> { (0..values).map(Value::new).collect() };
    let (mut serial, mut parallel) = (new(), new());
    let work = |chunk: &mut [Value]| chunk.iter_mut().for_each(Value::step);
    let times = alternate(
        repeats(values),
        || serial.chunks_mut(64).for_each(work),
        || {
            let pool = ComputeTaskPool::get();
            let done = parallel.par_chunk_map_mut(pool, 64, |_, chunk| work(chunk));
            assert_eq!(done.len(), values.div_ceil(64));
        },
    );
    let same = serial.iter().zip(&parallel).all(|(a, b)| a.0 == b.0);
    assert!(same, "the chunks differ");
    print(&format!("chunks of 64, {values} values"), times);
}

fn main() {
    let mut app = App::new();
    app.add_plugins(HeartbeatPlugin::default());
    println!("{:<52} {:>12} {:>12}", "workload", "serial us", "pool us");
    for entities in [100, 1_000, 10_000, 100_000, 1_000_000] {
        iteration(entities);
    }
    for values in [1_000, 10_000, 100_000, 1_000_000] {
        chunks(values);
    }
    for systems in [1, 10, 100, 1_000] {
        schedule(systems, "this executor", AdaptiveExecutor::new());
    }
    for systems in [1, 10, 100, 1_000] {
        schedule(systems, "Bevy's own", MultiThreadedExecutor::new());
    }
}
