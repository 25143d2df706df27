//! `heartbeat_pool` as a contender.
//!
//! A thread that enters the pool counts as one of its running threads, so as many threads run as
//! the pool has, whether the loop runs inside or outside.

mod tasks;

use heartbeat_pool::{BuildError, ThreadPool, Worker, yield_task};
use std::sync::Arc;
use suite::{Answer, Burst, Coarse, Contender, Cost, Entry, Items, by_cost};
use tasks::LANE;

/// This project's pool.
#[derive(Debug)]
pub struct Ours {
    pool: ThreadPool,
}

impl Ours {
    /// Its name.
    pub const NAME: &'static str = "ours";

    /// With that many threads, which are placed by the system alone where the variable `PLACEMENT`
    /// is `off`.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> Result<Self, BuildError> {
        let is_off = std::env::var_os("PLACEMENT").is_some_and(|value| value == "off");
        heartbeat_pool::place_threads(!is_off);
        let pool = ThreadPool::builder().num_threads(threads).build()?;
        Ok(Self { pool })
    }
}

impl Contender for Ours {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    suite::fork_join!(
        &Worker,
        |ours, f| ours.pool.with_worker(f),
        |worker, a, b| worker.join(a, b)
    );

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        self.pool.with_worker(|worker| {
            items.repeat(cost, iterations, |values| {
                by_cost!(cost, |f| worker.for_each(values, f));
            })
        })
    }

    fn scope(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        tasks::scope(&self.pool, entry, tasks, iterations)
    }

    fn scope_futures(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        tasks::scope_futures(&self.pool, entry, tasks, iterations)
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        tasks::coarse(&self.pool, work, iterations)
    }

    fn spawn_await(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        tasks::spawn_await(&self.pool, entry, tasks, iterations)
    }

    suite::two_tasks!(
        &ThreadPool,
        |ours, f| f(&ours.pool),
        |pool, future| pool.spawn_future(LANE, future),
        |pool, future| pool.block_on(future),
        yield_task()
    );

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        burst.spawn(|burst| self.pool.spawn(LANE, move || burst.run()));
        Ok(())
    }
}
