//! Background tasks without an end.

use bevy_tasks::futures_lite::future::yield_now;
use bevy_tasks::{AsyncComputeTaskPool, Task, block_on};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;
use suite::program::{Problem, check};
use suite::{Spinner, await_all, spin};

/// What a task does before it yields.
pub const ROUND: Duration = Duration::from_millis(5);

#[derive(Default)]
struct Shared {
    rounds: AtomicU64,
    wrong: AtomicU64,
    over: AtomicBool,
}

/// Tasks that compute until they are stopped.
pub struct Background {
    tasks: Vec<Task<u64>>,
    shared: Arc<Shared>,
}

impl Background {
    /// Starts that many.
    pub fn start(tasks: usize, spinner: Spinner) -> Self {
        let steps = spinner.steps(ROUND);
        let expected = spin(steps);
        let shared = Arc::new(Shared::default());
        let task = || {
            let shared = shared.clone();
            AsyncComputeTaskPool::get().spawn(async move {
                let mut rounds = 0;
                while !shared.over.load(Ordering::Relaxed) {
                    if spin(steps) != expected {
                        shared.wrong.fetch_add(1, Ordering::Relaxed);
                    }
                    rounds += 1;
                    shared.rounds.fetch_add(1, Ordering::Relaxed);
                    yield_now().await;
                }
                rounds
            })
        };
        Self {
            tasks: (0..tasks).map(|_| task()).collect(),
            shared,
        }
    }

    /// The rounds of all tasks so far.
    pub fn rounds(&self) -> u64 {
        self.shared.rounds.load(Ordering::Relaxed)
    }

    /// Waits for all to end.
    pub fn stop(self) -> Result<(), Problem> {
        self.shared.over.store(true, Ordering::Relaxed);
        let rounds = block_on(await_all(self.tasks));
        check(
            "the background's rounds",
            self.shared.rounds.load(Ordering::Relaxed),
            rounds,
        )?;
        let wrong = self.shared.wrong.load(Ordering::Relaxed);
        check("the count of wrong rounds", 0, wrong)
    }
}
