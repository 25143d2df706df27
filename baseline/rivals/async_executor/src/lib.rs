//! `async-executor` as a contender: its static executor, the faster one, run by plain threads.

use async_channel::{Sender, bounded};
use async_executor::{StaticExecutor, Task};
use futures_lite::future::{block_on, yield_now};
use std::io;
use std::sync::Arc;
use std::thread::{Builder, JoinHandle};
use suite::{Answer, Burst, Contender, Entry, await_all, check, one, repeat};

/// An executor and the threads that run it.
#[derive(Debug)]
pub struct AsyncExecutor {
    executor: &'static StaticExecutor,
    /// Closed to end the threads.
    stop: Sender<()>,
    threads: Vec<JoinHandle<()>>,
}

impl AsyncExecutor {
    /// Its name.
    pub const NAME: &'static str = "async-executor";

    /// With that many threads.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> io::Result<Self> {
        let executor: &'static StaticExecutor = Box::leak(Box::new(StaticExecutor::new()));
        let (stop, stopped) = bounded::<()>(1);
        let mut this = Self {
            executor,
            stop,
            threads: Vec::new(),
        };
        for _ in 0..threads {
            let stopped = stopped.clone();
            let run = move || {
                // An error is what a closed channel gives.
                let _ = block_on(executor.run(stopped.recv()));
            };
            this.threads.push(Builder::new().spawn(run)?);
        }
        Ok(this)
    }
}

impl Drop for AsyncExecutor {
    fn drop(&mut self) {
        self.stop.close();
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so.
            let _ = thread.join();
        }
    }
}

fn spawn_all(executor: &'static StaticExecutor, tasks: usize) -> Vec<Task<u64>> {
    (0..tasks).map(|_| executor.spawn(one())).collect()
}

impl Contender for AsyncExecutor {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn spawn_await(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        let executor = self.executor;
        match entry {
            Entry::Outside => repeat(iterations, tasks as u64, || {
                block_on(await_all(spawn_all(executor, tasks)))
            }),
            Entry::Worker => block_on(executor.spawn(async move {
                for _ in 0..iterations {
                    check(tasks as u64, await_all(spawn_all(executor, tasks)).await)?;
                }
                Ok(())
            })),
        }
    }

    suite::two_tasks!(
        &Self,
        |this, f| f(this),
        |this, future| this.executor.spawn(future),
        |_this, future| block_on(future),
        yield_now()
    );

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        burst.spawn(|burst| self.executor.spawn(async move { burst.run() }).detach());
        Ok(())
    }
}
