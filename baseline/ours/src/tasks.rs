//! The workloads by scopes and tasks.

use heartbeat_pool::{Lane, Scope, Task, ThreadPool, spawn_future, yield_task};
use std::sync::Arc;
use suite::{Answer, Burst, Coarse, Entry, await_all, check, one, repeat, repeat_slots, spin};

const LANE: Lane = Lane::Frame;

fn spawn_closures<'scope, 'env>(scope: &'scope Scope<'scope, 'env>, slots: &'env mut [u64]) {
    for slot in slots {
        scope.spawn(move || *slot += 1);
    }
}

pub fn scope(pool: &ThreadPool, entry: Entry, tasks: usize, iterations: u64) -> Answer {
    match entry {
        Entry::Worker => pool.with_worker(|worker| {
            repeat_slots(tasks, iterations, |slots| {
                worker.scope(|scope| spawn_closures(scope, slots));
            })
        }),
        Entry::Outside => repeat_slots(tasks, iterations, |slots| {
            pool.scope(|scope| spawn_closures(scope, slots));
        }),
    }
}

fn spawn_futures<'scope, 'env>(scope: &'scope Scope<'scope, 'env>, slots: &'env mut [u64]) {
    for slot in slots {
        scope.spawn_future(async move { *slot += 1 }).detach();
    }
}

pub fn scope_futures(pool: &ThreadPool, entry: Entry, tasks: usize, iterations: u64) -> Answer {
    match entry {
        Entry::Worker => pool.with_worker(|worker| {
            repeat_slots(tasks, iterations, |slots| {
                worker.scope(|scope| spawn_futures(scope, slots));
            })
        }),
        Entry::Outside => repeat_slots(tasks, iterations, |slots| {
            pool.scope(|scope| spawn_futures(scope, slots));
        }),
    }
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

pub fn yields(pool: &ThreadPool, yields: u64, iterations: u64) -> Answer {
    repeat(iterations, yields, || {
        pool.block_on(pool.spawn_future(LANE, async move {
            for _ in 0..yields {
                yield_task().await;
            }
            yields
        }))
    })
}

pub fn ping_pong(pool: &ThreadPool, messages: u64, iterations: u64) -> Answer {
    repeat(iterations, 2 * messages, || {
        let (ping, pong) = suite::ping_pong(messages);
        let pong = pool.spawn_future(LANE, pong);
        let ping = pool.spawn_future(LANE, ping);
        pool.block_on(async { ping.await + pong.await })
    })
}

pub fn spawn_burst(pool: &ThreadPool, burst: &Arc<Burst>) -> Answer {
    for _ in 0..burst.jobs() {
        let burst = burst.clone();
        pool.spawn(LANE, move || burst.run());
    }
    Ok(())
}
