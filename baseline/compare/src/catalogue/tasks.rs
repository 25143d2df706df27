//! Spawned futures.

use crate::workload::{Made, Size, Workload};
use suite::Entry;

const TASKS: [usize; 3] = [1, 100, 10_000];
const YIELDS: u64 = 1000;
const MESSAGES: u64 = 1000;

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let mut all = Vec::new();
    for entry in Entry::ALL {
        all.extend(TASKS.map(|tasks| spawn_await(entry, tasks)));
    }
    all.push(yields());
    all.push(ping_pong());
    all
}

fn spawn_await(entry: Entry, tasks: usize) -> Workload {
    let name = format!("spawn-await-{tasks} {}", entry.label());
    let about = "Futures that are ready, spawned and awaited in order.";
    Workload::sampled(name, about, Size::Told, move |_| {
        Made::call(move |pool, iterations| pool.spawn_await(entry, tasks, iterations))
            .each(tasks as u64, "task")
    })
}

fn yields() -> Workload {
    let about = "One spawned task that yields 1,000 times, awaited from outside (forte: from a \
                 worker).";
    Workload::sampled("yield-1000", about, Size::Told, |_| {
        Made::call(|pool, iterations| pool.yields(YIELDS, iterations)).each(YIELDS, "yield")
    })
}

fn ping_pong() -> Workload {
    let about = "Two spawned tasks that send each other 1,000 messages and wait for each echo, \
                 awaited from outside (forte: from a worker).";
    Workload::sampled("ping-pong", about, Size::Told, |_| {
        Made::call(|pool, iterations| pool.ping_pong(MESSAGES, iterations))
            .each(MESSAGES, "round trip")
    })
}
