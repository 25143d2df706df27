//! forte as a contender.
//!
//! A thread that enters the pool becomes one of its members and runs its work as well. So the pool
//! has one thread less than it is told, and as many run as in the others.

mod tasks;

use forte::{ThreadPool, Worker};
use futures_lite::future::yield_now;
use std::sync::Arc;
use suite::{Answer, Burst, Coarse, Contender, Entry};
use thiserror::Error;

/// forte's pool.
pub struct Forte {
    pool: &'static ThreadPool,
    /// With all threads, for callers that don't enter.
    unhelped: &'static ThreadPool,
}

/// forte has no place for so many threads.
#[derive(Debug, Error)]
#[error("forte runs at most {MOST} threads")]
pub struct TooMany;

/// The pool waits forever for the seat of one more.
const MOST: usize = 32;

impl Forte {
    /// Its name.
    pub const NAME: &'static str = "forte";

    /// With that many threads, the caller's among them.
    ///
    /// # Errors
    ///
    /// When there are more than forte has seats for.
    pub fn new(threads: usize) -> Result<Self, TooMany> {
        if threads > MOST {
            return Err(TooMany);
        }
        Ok(Self {
            pool: leaked(threads.saturating_sub(1)),
            unhelped: leaked(threads),
        })
    }
}

/// A pool that lives as long as the process, for its pools must be static; its threads don't.
fn leaked(threads: usize) -> &'static ThreadPool {
    let pool = Box::leak(Box::new(ThreadPool::new()));
    pool.resize_to(threads);
    pool
}

impl Drop for Forte {
    fn drop(&mut self) {
        self.pool.depopulate();
        self.unhelped.depopulate();
    }
}

impl Contender for Forte {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    suite::fork_join!(
        &Worker,
        |forte, f| forte.pool.with_worker(f),
        |worker, a, b| worker.join(a, b)
    );

    suite::for_each_by_joins!(
        &Worker,
        |forte, f| forte.pool.with_worker(f),
        |worker, a, b| worker.join(a, b)
    );

    fn scope(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        tasks::scope(self.pool, entry, tasks, iterations)
    }

    fn scope_futures(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        tasks::scope_futures(self.pool, entry, tasks, iterations)
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        tasks::coarse(self.pool, work, iterations)
    }

    fn spawn_await(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        tasks::spawn_await(self.pool, entry, tasks, iterations)
    }

    // From a worker, for the same reason as `spawn_await`.
    suite::two_tasks!(
        &Worker,
        |forte, f| forte.pool.with_worker(f),
        |worker, future| worker.spawn(future),
        |worker, future| worker.block_on(future),
        yield_now()
    );

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        burst.spawn(|burst| self.unhelped.spawn(move |_: &Worker| burst.run()));
        Ok(())
    }
}
