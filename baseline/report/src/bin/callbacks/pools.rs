//! Where callbacks are called: on this project's pool, and on tokio.

use super::ways::{self, Known, Way};
use allocation_counter::measure;
use heartbeat_pool::{Lane, ThreadPool};
use std::error::Error;
use std::hint::black_box;
use suite::Refusal;
use tokio::runtime::{Builder, Runtime};

/// A pool, with its threads.
pub enum Pool {
    /// This project's.
    Ours(ThreadPool),
    /// tokio's.
    Tokio(Runtime),
}

impl Pool {
    /// This project's, with that many threads.
    pub fn ours(threads: usize) -> Result<Self, Box<dyn Error>> {
        let pool = ThreadPool::builder().num_threads(threads).build()?;
        Ok(Self::Ours(pool))
    }

    /// tokio's, with that many threads.
    pub fn tokio(threads: usize) -> Result<Self, Box<dyn Error>> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .build()?;
        Ok(Self::Tokio(runtime))
    }

    /// One without threads for that workload: all happens on the thread that waits, so its counter
    /// of allocations sees them all.
    pub fn alone(workload: &str) -> Result<Self, Box<dyn Error>> {
        if workload.ends_with("ours") {
            return Self::ours(0);
        }
        Ok(Self::Tokio(Builder::new_current_thread().build()?))
    }

    /// Makes so many calls in one task, or in a task each. Gives the sum of what they give.
    ///
    /// # Errors
    ///
    /// When that way can't be spawned.
    pub fn run(&self, way: Way, calls: u64, is_spawned: bool) -> Result<u64, Refusal> {
        if !is_spawned {
            return Ok(self.in_a_task(ways::in_place(black_box(way), black_box(calls))));
        }
        match way {
            Way::Generic => Ok(self.in_tasks(calls, ways::callback)),
            Way::Boxed => Ok(self.in_tasks(calls, ways::boxed)),
            Way::Stack => Ok(self.in_tasks(calls, ways::on_the_stack)),
            Way::Enumerated => {
                let known = Known::one();
                Ok(self.in_tasks(calls, move |number| known.call(number)))
            }
            Way::Plain | Way::Reused => Err(Refusal::Unsupported),
        }
    }

    /// Allocations a call, beyond those that any number of calls takes.
    ///
    /// # Errors
    ///
    /// As [`Self::run`].
    pub fn allocations(&self, way: Way, calls: u64, is_spawned: bool) -> Result<f64, Refusal> {
        let count = |calls| {
            let mut result = Ok(0);
            let counted = measure(|| result = self.run(way, calls, is_spawned));
            result.map(|_| counted.count_total)
        };
        count(calls)?;
        let (none, all) = (count(0)?, count(calls)?);
        Ok(all.saturating_sub(none) as f64 / calls.max(1) as f64)
    }

    fn in_a_task(&self, future: impl Future<Output = u64> + Send + 'static) -> u64 {
        match self {
            Self::Ours(pool) => pool.block_on(pool.spawn_future(Lane::Frame, future)),
            Self::Tokio(runtime) => {
                let task = runtime.spawn(future);
                // A call that panics counts for nothing, and the sum is seen to be wrong.
                runtime.block_on(task).unwrap_or_default()
            }
        }
    }

    fn in_tasks<F>(&self, calls: u64, call: impl Fn(u64) -> F + Send + 'static) -> u64
    where
        F: Future<Output = u64> + Send + 'static,
    {
        match self {
            Self::Ours(pool) => pool.block_on(pool.spawn_future(Lane::Frame, async move {
                let mut sum = 0;
                for number in 0..calls {
                    sum += heartbeat_pool::spawn_future(Lane::Frame, call(number)).await;
                }
                sum
            })),
            Self::Tokio(_) => self.in_a_task(async move {
                let mut sum = 0;
                for number in 0..calls {
                    sum += tokio::spawn(call(number)).await.unwrap_or_default();
                }
                sum
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_box_is_an_allocation_and_no_other_way_is() -> Result<(), Box<dyn Error>> {
        for workload in ["callback-ours", "callback-tokio"] {
            let pool = Pool::alone(workload)?;
            for (name, way) in Way::ALL {
                let expected = if way == Way::Boxed { 1.0 } else { 0.0 };
                let counted = pool.allocations(way, 100, false)?;
                assert_eq!(counted.round(), expected, "{workload}, {name}: {counted}");
            }
        }
        Ok(())
    }

    #[test]
    fn tasks_give_the_same_sum() -> Result<(), Box<dyn Error>> {
        for pool in [Pool::ours(2)?, Pool::tokio(2)?] {
            for way in [Way::Generic, Way::Boxed, Way::Stack, Way::Enumerated] {
                assert_eq!(pool.run(way, 100, true)?, ways::expected(100));
            }
        }
        Ok(())
    }
}
