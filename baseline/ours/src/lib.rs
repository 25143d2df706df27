//! `heartbeat_pool` as a contender.
//!
//! A thread that enters the pool counts as one of its running threads, so as many threads run as
//! the pool has, whether the loop runs inside or outside.

mod fork_join;
mod tasks;

use heartbeat_pool::{BuildError, ThreadPool};
use std::sync::Arc;
use suite::{Answer, Burst, Coarse, Contender, Cost, Entry, Irregular, Items, Maze, Tree, Uneven};

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

    fn tree(&self, tree: &Tree, iterations: u64) -> Answer {
        fork_join::tree(&self.pool, tree, iterations)
    }

    fn fib(&self, n: u64, expected: u64, iterations: u64) -> Answer {
        fork_join::fib(&self.pool, n, expected, iterations)
    }

    fn irregular(&self, tree: &Irregular, iterations: u64) -> Answer {
        fork_join::irregular(&self.pool, tree, iterations)
    }

    fn flood(&self, maze: &Maze, iterations: u64) -> Answer {
        fork_join::flood(&self.pool, maze, iterations)
    }

    fn uneven(&self, work: &Uneven, iterations: u64) -> Answer {
        fork_join::uneven(&self.pool, work, iterations)
    }

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        fork_join::for_each(&self.pool, items, cost, iterations)
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

    fn yields(&self, yields: u64, iterations: u64) -> Answer {
        tasks::yields(&self.pool, yields, iterations)
    }

    fn ping_pong(&self, messages: u64, iterations: u64) -> Answer {
        tasks::ping_pong(&self.pool, messages, iterations)
    }

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        tasks::spawn_burst(&self.pool, burst)
    }
}
