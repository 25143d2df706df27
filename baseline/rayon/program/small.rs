//! What is hardly worth a pool, many times.

use crate::sampling::Case;
use rayon::iter::{IntoParallelRefMutIterator, ParallelIterator};
use rayon::{Scope, scope};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use suite::one_ns;
use suite::program::{Problem, check};

const TIMES: usize = 1000;

/// A thousand items of a nanosecond.
pub struct Items {
    items: Vec<u64>,
    expected: u64,
}

impl Items {
    const COUNT: usize = 1000;
    const SEED: u64 = 0x9e37_79b9_7f4a_7c15;

    /// All alike, so that one number tells what each must be.
    pub fn new() -> Self {
        let mut expected = Self::SEED;
        (0..TIMES).for_each(|_| one_ns(&mut expected));
        Self {
            items: vec![Self::SEED; Self::COUNT],
            expected,
        }
    }
}

impl Case for Items {
    fn prepare(&mut self) {
        self.items.fill(Self::SEED);
    }

    fn parallel(&mut self) {
        (0..TIMES).for_each(|_| self.items.par_iter_mut().for_each(one_ns));
    }

    fn serial(&mut self) {
        (0..TIMES).for_each(|_| black_box(&mut self.items).iter_mut().for_each(one_ns));
    }

    fn check(&self) -> Result<(), Problem> {
        let mut items = self.items.iter();
        items.try_for_each(|item| check("an item", self.expected, *item))
    }
}

/// How often each job of a scope has run. Each counts on a cache line of its own, so that jobs don't
/// meet.
struct Counts(Vec<Count>);

#[repr(align(64))]
struct Count(AtomicUsize);

impl Counts {
    fn new(jobs: usize) -> Self {
        Self((0..jobs).map(|_| Count(AtomicUsize::new(0))).collect())
    }

    fn clear(&mut self) {
        self.0.iter_mut().for_each(|count| *count.0.get_mut() = 0);
    }

    /// Nobody else runs that job meanwhile, so it needs no atomic addition.
    fn add(&self, job: usize) {
        let count = &self.0[job].0;
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    /// All once.
    fn add_all(&self) {
        (0..self.0.len()).for_each(|job| self.add(black_box(job)));
    }

    fn check(&self, times: usize) -> Result<(), Problem> {
        let mut counts = self.0.iter().map(|count| count.0.load(Ordering::Relaxed));
        counts.try_for_each(|count| check("how often a job has run", times, count))
    }
}

/// A scope of a hundred jobs.
pub struct Scopes(Counts);

impl Scopes {
    const JOBS: usize = 100;

    /// That have not run yet.
    pub fn new() -> Self {
        Self(Counts::new(Self::JOBS))
    }
}

impl Case for Scopes {
    fn prepare(&mut self) {
        self.0.clear();
    }

    fn parallel(&mut self) {
        let counts = &self.0;
        for _ in 0..TIMES {
            scope(|scope| {
                (0..Self::JOBS).for_each(|job| scope.spawn(move |_| counts.add(job)));
            });
        }
    }

    fn serial(&mut self) {
        (0..TIMES).for_each(|_| self.0.add_all());
    }

    fn check(&self) -> Result<(), Problem> {
        self.0.check(TIMES)
    }
}

/// Scopes whose jobs spawn two more each.
pub struct Trees(Counts);

impl Trees {
    const JOBS: usize = (1 << 10) - 1;
    const TIMES: usize = 100;

    /// That have not run yet.
    pub fn new() -> Self {
        Self(Counts::new(Self::JOBS))
    }
}

/// Runs a job of a tree that is numbered level by level, and spawns those below it.
fn grow<'scope>(scope: &Scope<'scope>, job: usize, counts: &'scope Counts) {
    counts.add(job);
    let below = [2 * job + 1, 2 * job + 2];
    for job in below.into_iter().filter(|job| *job < Trees::JOBS) {
        scope.spawn(move |scope| grow(scope, job, counts));
    }
}

impl Case for Trees {
    fn prepare(&mut self) {
        self.0.clear();
    }

    fn parallel(&mut self) {
        (0..Self::TIMES).for_each(|_| scope(|scope| grow(scope, 0, &self.0)));
    }

    fn serial(&mut self) {
        (0..Self::TIMES).for_each(|_| self.0.add_all());
    }

    fn check(&self) -> Result<(), Problem> {
        self.0.check(Self::TIMES)
    }
}
