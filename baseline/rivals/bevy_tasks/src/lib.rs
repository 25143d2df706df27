//! The stock `bevy_tasks` as a contender.
//!
//! Its scopes run the pool's tasks on the calling thread, on top of the pool's own. So a scope from
//! outside runs in a pool of one thread less, and as many run as in the others. "From a worker" is
//! inside of a task, which only the pool's threads may take.

use bevy_tasks::{ParallelSliceMut, Task, TaskPool, TaskPoolBuilder, block_on};
use futures_lite::future::yield_now;
use std::sync::Arc;
use suite::{
    Answer, Burst, Coarse, Contender, Cost, Entry, Items, Refusal, await_all, by_cost, check, one,
    repeat, repeat_slots, spin,
};

/// The stock pool.
#[derive(Debug)]
pub struct BevyTasks {
    pool: Arc<TaskPool>,
    /// One thread less, for scopes on a thread that helps.
    helped: TaskPool,
}

impl BevyTasks {
    /// Its name.
    pub const NAME: &'static str = "bevy_tasks";

    /// With that many threads.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let pool = |threads| TaskPoolBuilder::new().num_threads(threads).build();
        Self {
            pool: Arc::new(pool(threads)),
            helped: pool(threads.saturating_sub(1)),
        }
    }

    /// Runs a workload's loop on one of the pool's threads, while the calling thread only waits.
    fn on_worker(&self, workload: impl FnOnce(&TaskPool) -> Answer + Send) -> Answer {
        let pool = &*self.pool;
        let answers = pool.scope_with_executor(false, None, |scope| {
            scope.spawn(async move { workload(pool) });
        });
        answers.into_iter().collect()
    }

    fn enter(&self, entry: Entry, workload: impl FnOnce(&TaskPool) -> Answer + Send) -> Answer {
        match entry {
            Entry::Worker => self.on_worker(workload),
            Entry::Outside => workload(&self.helped),
        }
    }
}

fn each(pool: &TaskPool, values: &mut [u64], f: impl Fn(&mut u64) + Send + Sync) {
    let mut values = values;
    values.par_splat_map_mut(pool, None, |_, chunk| chunk.iter_mut().for_each(&f));
}

fn scope_of_futures(pool: &TaskPool, tasks: usize, iterations: u64) -> Answer {
    repeat_slots(tasks, iterations, |slots| {
        pool.scope(|scope| {
            for slot in slots {
                scope.spawn(async move { *slot += 1 });
            }
        });
    })
}

impl Contender for BevyTasks {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        self.on_worker(|pool| {
            items.repeat(cost, iterations, |values| {
                by_cost!(cost, |f| each(pool, values, f));
            })
        })
    }

    fn scope_futures(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        self.enter(entry, |pool| scope_of_futures(pool, tasks, iterations))
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        let steps = work.steps;
        work.repeat(iterations, |results| {
            self.helped.scope(|scope| {
                for result in results {
                    scope.spawn(async move { *result = spin(steps) });
                }
            });
        })
    }

    fn spawn_await(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        let spawn_all =
            |pool: &TaskPool| -> Vec<Task<u64>> { (0..tasks).map(|_| pool.spawn(one())).collect() };
        match entry {
            Entry::Outside => repeat(iterations, tasks as u64, || {
                block_on(await_all(spawn_all(&self.pool)))
            }),
            Entry::Worker => {
                let pool = self.pool.clone();
                block_on(self.pool.spawn(async move {
                    for _ in 0..iterations {
                        let all = (0..tasks).map(|_| pool.spawn(one())).collect();
                        check(tasks as u64, await_all(all).await)?;
                    }
                    Ok::<(), Refusal>(())
                }))
            }
        }
    }

    suite::two_tasks!(
        &Self,
        |tasks, f| f(tasks),
        |tasks, future| tasks.pool.spawn(future),
        |_tasks, future| block_on(future),
        yield_now()
    );

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        burst.spawn(|burst| self.pool.spawn(async move { burst.run() }).detach());
        Ok(())
    }
}
