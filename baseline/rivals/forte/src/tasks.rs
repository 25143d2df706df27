//! The workloads by scopes and tasks.

use forte::{Task, ThreadPool, Worker};
use suite::{Answer, Coarse, Entry, Refusal, await_all, check, one, repeat_slots, spin};

/// Runs a workload's loop inside of the pool or outside.
fn enter(pool: &'static ThreadPool, entry: Entry, workload: impl FnOnce() -> Answer) -> Answer {
    match entry {
        Entry::Worker => pool.with_worker(|_| workload()),
        Entry::Outside => workload(),
    }
}

pub fn scope(pool: &'static ThreadPool, entry: Entry, tasks: usize, iterations: u64) -> Answer {
    enter(pool, entry, || {
        repeat_slots(tasks, iterations, |slots| {
            pool.scope(|scope| {
                for slot in slots {
                    scope.spawn(move |_: &Worker| *slot += 1);
                }
            });
        })
    })
}

pub fn scope_futures(
    pool: &'static ThreadPool,
    entry: Entry,
    tasks: usize,
    iterations: u64,
) -> Answer {
    enter(pool, entry, || {
        repeat_slots(tasks, iterations, |slots| {
            pool.scope(|scope| {
                for slot in slots {
                    scope.spawn(async move { *slot += 1 });
                }
            });
        })
    })
}

pub fn coarse(pool: &'static ThreadPool, work: &Coarse, iterations: u64) -> Answer {
    let steps = work.steps;
    work.repeat(iterations, |results| {
        pool.scope(|scope| {
            for result in results {
                scope.spawn(move |_: &Worker| *result = spin(steps));
            }
        });
    })
}

pub fn spawn_await(
    pool: &'static ThreadPool,
    entry: Entry,
    tasks: usize,
    iterations: u64,
) -> Answer {
    if entry == Entry::Outside {
        return Err(Refusal::Skipped(
            "its block_on(spawn(..)) in a loop from outside hangs now and then",
        ));
    }
    pool.with_worker(|worker| {
        worker.block_on(async {
            for _ in 0..iterations {
                let all: Vec<Task<u64>> = (0..tasks).map(|_| pool.spawn(one())).collect();
                check(tasks as u64, await_all(all).await)?;
            }
            Ok(())
        })
    })
}
