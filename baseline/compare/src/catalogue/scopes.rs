//! Scopes of next to nothing, where only the pool's own cost is seen.

use crate::workload::{Made, Size, Workload};
use suite::Entry;

const TASKS: [usize; 3] = [10, 100, 1000];

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for entry in Entry::ALL {
        all.extend(TASKS.map(|tasks| closures(entry, tasks)));
    }
    for entry in Entry::ALL {
        all.extend(TASKS.map(|tasks| futures(entry, tasks)));
    }
    all
}

fn closures(entry: Entry, tasks: usize) -> Workload {
    let name = format!("scope-{tasks} {}", entry.label());
    let about = "A scope of closures that add one to a number of their own.";
    Workload::sampled(name, about, Size::Told, move |_| {
        Made::call(move |pool, iterations| pool.scope(entry, tasks, iterations))
            .each(tasks as u64, "task")
    })
}

fn futures(entry: Entry, tasks: usize) -> Workload {
    let name = format!("scope-futures-{tasks} {}", entry.label());
    let about = "A scope of futures that add one to a number of their own and are ready.";
    Workload::sampled(name, about, Size::Told, move |_| {
        Made::call(move |pool, iterations| pool.scope_futures(entry, tasks, iterations))
            .each(tasks as u64, "task")
    })
}
