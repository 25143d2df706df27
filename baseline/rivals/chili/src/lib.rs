//! chili as a contender.
//!
//! Its pool starts one thread less than it is told, for the thread that holds a scope runs as well.
//! A scope keeps a thread that beats: each sample has one scope, which ends with it.

use chili::{Config, Scope, ThreadPool};
use std::num::NonZero;
use suite::{Answer, Coarse, Contender, spin};

/// chili's pool.
#[derive(Debug)]
pub struct Chili {
    pool: ThreadPool,
}

impl Chili {
    /// Its name.
    pub const NAME: &'static str = "chili";

    /// With that many threads, the caller's among them.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let pool = ThreadPool::with_config(Config {
            thread_count: NonZero::new(threads),
            ..Config::default()
        });
        Self { pool }
    }
}

#[inline(never)]
fn spin_all(results: &mut [u64], steps: u64, scope: &mut Scope<'_>) {
    match results {
        [] => {}
        [result] => *result = spin(steps),
        _ => {
            let (left, right) = results.split_at_mut(results.len() / 2);
            scope.join(
                |scope| spin_all(left, steps, scope),
                |scope| spin_all(right, steps, scope),
            );
        }
    }
}

impl Contender for Chili {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    suite::fork_join!(
        &mut Scope<'_>,
        |chili, f| f(&mut chili.pool.scope()),
        |scope, a, b| scope.join(a, b)
    );

    suite::for_each_by_joins!(
        &mut Scope<'_>,
        |chili, f| f(&mut chili.pool.scope()),
        |scope, a, b| scope.join(a, b)
    );

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        // From outside: the scope is part of what is timed.
        work.repeat(iterations, |results| {
            spin_all(results, work.steps, &mut self.pool.scope());
        })
    }
}
