//! All workloads by name.

use crate::{
    cpu, empty, frames, growth, idle, loading, par_iter, scopes, spread, tasks, tuned, with_rayon,
};
use std::time::Duration;
use suite::program::{Workload, workload};

/// Every workload.
pub fn all() -> Vec<Workload> {
    let micros = Duration::from_micros;
    let mut all = Vec::new();
    for systems in [1, 10, 100, 1000] {
        let name = format!("empty-{systems}");
        all.push(workload(name, move |options| empty::run(options, systems)));
    }
    for length in [1, 20, 200] {
        all.push(workload(format!("wide-32-{length}us"), move |options| {
            spread::wide(options, micros(length))
        }));
    }
    all.push(workload("chain-8-1us", move |options| {
        spread::chain(options, micros(1))
    }));
    for (name, entities) in [
        ("100", 100),
        ("1000", 1000),
        ("10k", 10_000),
        ("100k", 100_000),
        ("1M", 1_000_000),
    ] {
        all.push(workload(format!("par-iter-{name}"), move |options| {
            par_iter::cheap(options, entities)
        }));
    }
    all.push(workload("par-iter-1M-100ns", |options| {
        par_iter::dear(options, 1_000_000, Duration::from_nanos(100))
    }));
    for shape in tuned::Shape::ALL {
        let name = format!("par-iter-tuned-{}", shape.name());
        all.push(workload(name, move |options| tuned::run(options, shape)));
    }
    for tasks in [1, 10, 100, 1000] {
        let name = format!("scope-{tasks}");
        all.push(workload(name, move |options| scopes::run(options, tasks)));
    }
    for count in [1, 100, 10_000] {
        let name = format!("spawn-await-{count}");
        all.push(workload(name, move |options| tasks::run(options, count)));
    }
    all.push(workload("frames-60hz-background", |options| {
        frames::with_background(options, frames::Pace::SixtyHertz)
    }));
    all.push(workload("frames-busy-background", |options| {
        frames::with_background(options, frames::Pace::Busy)
    }));
    all.push(workload("frames-60hz-loading", loading::run));
    all.push(workload("frames-60hz-rayon", with_rayon::run));
    all.push(workload("cpu-60hz-small", cpu::run));
    all.push(workload("idle", idle::run));
    for place in growth::Place::ALL {
        let name = format!("growth-{}", place.name());
        all.push(workload(name, move |options| growth::run(options, place)));
    }
    all
}
