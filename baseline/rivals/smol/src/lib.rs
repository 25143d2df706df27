//! smol as a contender: its one executor, whose threads wait for sockets and timers themselves.

use futures_lite::future::yield_now;
use smol::{Task, block_on, spawn};
use std::env;
use suite::{Answer, Contender, Entry, await_all, check, one, repeat};

/// The variable that says how many threads smol has in a process.
pub const SMOL_THREADS: &str = "SMOL_THREADS";

/// smol's executor.
#[derive(Clone, Copy, Debug)]
pub struct Smol;

impl Smol {
    /// Its name.
    pub const NAME: &'static str = "smol";

    /// With that many threads.
    ///
    /// # Errors
    ///
    /// When the process was not started with that number in [`SMOL_THREADS`].
    pub fn new(threads: usize) -> Result<Self, String> {
        let wanted = threads.to_string();
        match env::var(SMOL_THREADS) {
            Ok(set) if set == wanted => Ok(Self),
            _ => Err(format!("start it with {SMOL_THREADS}={wanted}")),
        }
    }
}

fn spawn_all(tasks: usize) -> Vec<Task<u64>> {
    (0..tasks).map(|_| spawn(one())).collect()
}

impl Contender for Smol {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn spawn_await(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        match entry {
            Entry::Outside => repeat(iterations, tasks as u64, || {
                block_on(await_all(spawn_all(tasks)))
            }),
            Entry::Worker => block_on(spawn(async move {
                for _ in 0..iterations {
                    check(tasks as u64, await_all(spawn_all(tasks)).await)?;
                }
                Ok(())
            })),
        }
    }

    suite::two_tasks!(
        &Self,
        |this, f| f(this),
        |_this, future| spawn(future),
        |_this, future| block_on(future),
        yield_now()
    );
}
