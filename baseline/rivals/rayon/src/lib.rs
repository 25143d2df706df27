//! rayon as a contender.
//!
//! `install` moves a loop onto one of the pool's threads; the thread from outside sleeps meanwhile.

use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use std::sync::Arc;
use suite::{Answer, Burst, Coarse, Contender, Cost, Entry, Items, by_cost, repeat_slots, spin};

/// rayon's pool.
#[derive(Debug)]
pub struct Rayon {
    pool: ThreadPool,
}

impl Rayon {
    /// Its name.
    pub const NAME: &'static str = "rayon";

    /// With that many threads.
    ///
    /// # Errors
    ///
    /// When the system refuses a thread.
    pub fn new(threads: usize) -> Result<Self, ThreadPoolBuildError> {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build()?;
        Ok(Self { pool })
    }
}

/// What a job has: it runs on one of the pool's threads, which rayon finds by itself.
#[derive(Clone, Copy)]
struct Inside;

impl Contender for Rayon {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    suite::fork_join!(
        Inside,
        |rayon, f| rayon.pool.install(|| f(Inside)),
        |_inside, a, b| rayon::join(|| a(Inside), || b(Inside))
    );

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        self.pool.install(|| {
            items.repeat(cost, iterations, |values| {
                by_cost!(cost, |f| values.par_iter_mut().for_each(f));
            })
        })
    }

    fn scope(&self, entry: Entry, tasks: usize, iterations: u64) -> Answer {
        let workload = || {
            repeat_slots(tasks, iterations, |slots| {
                self.pool.scope(|scope| {
                    for slot in slots {
                        scope.spawn(move |_| *slot += 1);
                    }
                });
            })
        };
        match entry {
            Entry::Worker => self.pool.install(workload),
            Entry::Outside => workload(),
        }
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        let steps = work.steps;
        work.repeat(iterations, |results| {
            self.pool.scope(|scope| {
                for result in results {
                    scope.spawn(move |_| *result = spin(steps));
                }
            });
        })
    }

    fn spawn_burst(&self, burst: &Arc<Burst>) -> Answer {
        burst.spawn(|burst| self.pool.spawn(move || burst.run()));
        Ok(())
    }
}
