//! Spawned futures.

use super::entered::entered;
use crate::workload::{Made, Size, Workload};

const TASKS: [usize; 3] = [1, 100, 10_000];
const YIELDS: u64 = 1000;
const MESSAGES: u64 = 1000;

/// All of this kind.
pub fn workloads() -> Vec<Workload> {
    let about = "Futures that are ready, spawned and awaited in order.";
    let mut all = entered(
        "spawn-await",
        about,
        TASKS,
        |pool, (entry, tasks), iterations| pool.spawn_await(entry, tasks, iterations),
    );
    all.push(yields());
    all.push(ping_pong());
    all
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
