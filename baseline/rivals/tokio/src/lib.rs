//! tokio's multi-threaded runtime as a contender.

use std::io;
use std::sync::Arc;
use suite::{Answer, Burst, Contender, Entry, await_all, check, one, repeat};
use tokio::runtime::{Builder, Runtime};
use tokio::task::{JoinHandle, yield_now};

/// tokio's runtime.
#[derive(Debug)]
pub struct Tokio {
    runtime: Runtime,
}

impl Tokio {
    /// Its name.
    pub const NAME: &'static str = "tokio";

    /// With that many worker threads.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .worker_threads(threads)
            .build()?;
        Ok(Self { runtime })
    }
}

/// A task that panicked counts for nothing, and the sum is seen to be wrong.
async fn number(task: JoinHandle<u64>) -> u64 {
    task.await.unwrap_or(0)
}

impl Contender for Tokio {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn spawn_await(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        match entry {
            Entry::Outside => repeat(iterations, tasks as u64, || {
                let spawn = |_| number(self.runtime.spawn(one()));
                let all = (0..tasks).map(spawn).collect();
                self.runtime.block_on(await_all(all))
            }),
            Entry::Worker => {
                let task = self.runtime.spawn(async move {
                    for _ in 0..iterations {
                        let spawn = |_| number(tokio::spawn(one()));
                        let all = (0..tasks).map(spawn).collect();
                        check(tasks as u64, await_all(all).await)?;
                    }
                    Ok(())
                });
                let answer = self.runtime.block_on(task);
                answer.unwrap_or_else(|_| check(tasks as u64, 0))
            }
        }
    }

    suite::two_tasks!(
        &Runtime,
        |tokio, f| f(&tokio.runtime),
        |runtime, future| number(runtime.spawn(future)),
        |runtime, future| runtime.block_on(future),
        yield_now()
    );

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        // Dropping the handle lets the task run on.
        burst.spawn(|burst| drop(self.runtime.spawn(async move { burst.run() })));
        Ok(())
    }
}
