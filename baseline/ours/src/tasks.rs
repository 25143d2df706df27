//! The workloads by scopes and tasks.

use heartbeat_pool::{Lane, Scope, Task, ThreadPool, spawn_future};
use suite::{Answer, Coarse, Entry, await_all, check, one, repeat, repeat_slots, spin};

/// Where spawned work goes.
pub const LANE: Lane = Lane::Frame;

/// Scopes with a number for each task, which `fill` spawns.
fn scopes(
    pool: &ThreadPool,
    entry: Entry,
    tasks: usize,
    iterations: u64,
    fill: impl for<'scope, 'env> Fn(&'scope Scope<'scope, 'env>, &'env mut [u64]),
) -> Answer {
    match entry {
        Entry::Worker => pool.with_worker(|worker| {
            repeat_slots(tasks, iterations, |slots| {
                worker.scope(|scope| fill(scope, slots));
            })
        }),
        Entry::Outside => repeat_slots(tasks, iterations, |slots| {
            pool.scope(|scope| fill(scope, slots));
        }),
    }
}

pub fn scope(pool: &ThreadPool, entry: Entry, tasks: usize, iterations: u64) -> Answer {
    scopes(pool, entry, tasks, iterations, |scope, slots| {
        for slot in slots {
            scope.spawn(move || *slot += 1);
        }
    })
}

pub fn scope_futures(pool: &ThreadPool, entry: Entry, tasks: usize, iterations: u64) -> Answer {
    scopes(pool, entry, tasks, iterations, |scope, slots| {
        for slot in slots {
            scope.spawn_future(async move { *slot += 1 }).detach();
        }
    })
}

pub fn coarse(pool: &ThreadPool, work: &Coarse, iterations: u64) -> Answer {
    let steps = work.steps;
    work.repeat(iterations, |results| {
        pool.scope(|scope| {
            for result in results {
                scope.spawn(move || *result = spin(steps));
            }
        });
    })
}

pub fn spawn_await(pool: &ThreadPool, entry: Entry, tasks: usize, iterations: u64) -> Answer {
    match entry {
        Entry::Outside => repeat(iterations, tasks as u64, || {
            let spawn = |_| pool.spawn_future(LANE, one());
            let all: Vec<Task<u64>> = (0..tasks).map(spawn).collect();
            pool.block_on(await_all(all))
        }),
        Entry::Worker => pool.block_on(pool.spawn_future(LANE, async move {
            for _ in 0..iterations {
                let spawn = |_| spawn_future(LANE, one());
                let all: Vec<Task<u64>> = (0..tasks).map(spawn).collect();
                check(tasks as u64, await_all(all).await)?;
            }
            Ok(())
        })),
    }
}
