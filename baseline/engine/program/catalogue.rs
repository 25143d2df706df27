//! All workloads by name.

use crate::{
    components, cpu, empty, frames, growth, idle, jobs, loading, neighbours, par_iter, scopes,
    spread, tasks, tuned, with_rayon,
};
use std::time::Duration;
use suite::program::{Workload, workload};

/// Every workload.
pub fn all() -> Vec<Workload> {
    let mut all = systems();
    all.extend(iteration());
    all.extend(tasks());
    all.extend(of_jobs());
    all.extend(frames());
    all.extend([0, 2, 4].map(|programs| {
        let name = format!("neighbours-{programs}");
        workload(name, move |options| neighbours::run(options, programs))
    }));
    all.extend(growth::Place::ALL.map(|place| {
        let name = format!("growth-{}", place.name());
        workload(name, move |options| growth::run(options, place))
    }));
    all
}

fn systems() -> Vec<Workload> {
    let micros = Duration::from_micros;
    let empty = [1, 10, 100, 1000].map(|systems| {
        let name = format!("empty-{systems}");
        workload(name, move |options| empty::run(options, systems))
    });
    let wide = [1, 20, 200].map(|length| {
        let name = format!("wide-32-{length}us");
        workload(name, move |options| spread::wide(options, micros(length)))
    });
    let chain = workload("chain-8-1us", move |options| {
        spread::chain(options, micros(1))
    });
    empty.into_iter().chain(wide).chain([chain]).collect()
}

fn iteration() -> Vec<Workload> {
    let cheap = [
        ("100", 100),
        ("1000", 1000),
        ("10k", 10_000),
        ("100k", 100_000),
        ("1M", 1_000_000),
    ];
    let cheap = cheap.map(|(name, entities)| {
        workload(format!("par-iter-{name}"), move |options| {
            par_iter::cheap(options, entities)
        })
    });
    let dear = workload("par-iter-1M-100ns", |options| {
        par_iter::dear(options, 1_000_000, Duration::from_nanos(100))
    });
    let tuned = tuned::Shape::ALL.map(|shape| {
        let name = format!("par-iter-tuned-{}", shape.name());
        workload(name, move |options| tuned::run(options, shape))
    });
    let pairs = [1, 2, 5].map(|pairs| {
        workload(format!("components-{}", 2 * pairs), move |options| {
            components::pairs(options, pairs)
        })
    });
    let kinds = [10, 100, 1000].map(|kinds| {
        workload(format!("components-kinds-{kinds}"), move |options| {
            components::kinds(options, kinds)
        })
    });
    let heavy = workload("components-heavy", |options| {
        par_iter::dear(options, 1000, Duration::from_micros(5))
    });
    let components = pairs.into_iter().chain(kinds).chain([heavy]);
    let all = cheap.into_iter().chain([dear]).chain(tuned);
    all.chain(components).collect()
}

fn tasks() -> Vec<Workload> {
    let scopes = [1, 10, 100, 1000].map(|tasks| {
        let name = format!("scope-{tasks}");
        workload(name, move |options| scopes::run(options, tasks))
    });
    let awaited = [1, 100, 10_000].map(|count| {
        let name = format!("spawn-await-{count}");
        workload(name, move |options| tasks::run(options, count))
    });
    scopes.into_iter().chain(awaited).collect()
}

fn of_jobs() -> Vec<Workload> {
    let run = [1, 100, 10_000].map(|count| {
        let name = format!("jobs-{count}");
        workload(name, move |options| jobs::run(options, count))
    });
    let access = [1, 100].map(|count| {
        let name = format!("jobs-access-{count}");
        workload(name, move |options| jobs::access(options, count))
    });
    let waiting = workload("jobs-waiting-10000", |options| {
        jobs::waiting(options, 10_000)
    });
    run.into_iter().chain(access).chain([waiting]).collect()
}

fn frames() -> Vec<Workload> {
    vec![
        workload("frames-60hz-background", |options| {
            frames::with_background(options, frames::Pace::SixtyHertz)
        }),
        workload("frames-busy-background", |options| {
            frames::with_background(options, frames::Pace::Busy)
        }),
        workload("frames-60hz-loading", loading::run),
        workload("frames-60hz-rayon", with_rayon::run),
        workload("cpu-60hz-small", cpu::run),
        workload("idle", idle::run),
    ]
}
