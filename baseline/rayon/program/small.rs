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

/// A scope of a hundred jobs.
pub struct Scopes;

impl Scopes {
    const JOBS: usize = 100;

    /// They hold nothing.
    pub fn new() -> Self {
        Self
    }
}

impl Case for Scopes {
    fn parallel(&mut self) {
        for _ in 0..TIMES {
            scope(|scope| (0..Self::JOBS).for_each(|_| scope.spawn(|_| {})));
        }
    }

    fn serial(&mut self) {
        (0..TIMES * Self::JOBS).for_each(|job| _ = black_box(job));
    }

    /// Jobs that do nothing leave no answer; these do.
    fn check(&self) -> Result<(), Problem> {
        let done = AtomicUsize::new(0);
        let count = || _ = done.fetch_add(1, Ordering::Relaxed);
        scope(|scope| (0..Self::JOBS).for_each(|_| scope.spawn(|_| count())));
        check("the count of jobs", Self::JOBS, done.into_inner())
    }
}

/// Scopes whose jobs spawn two more each.
pub struct Trees;

impl Trees {
    const DEPTH: u32 = 10;
    const JOBS: usize = (1 << Self::DEPTH) - 1;
    const TIMES: usize = 100;

    /// They hold nothing.
    pub fn new() -> Self {
        Self
    }
}

/// Calls `each` once for each node of a tree that has so many levels.
fn grow<'scope>(scope: &Scope<'scope>, levels: u32, each: &'scope (impl Fn() + Sync)) {
    each();
    if levels > 1 {
        (0..2).for_each(|_| scope.spawn(move |scope| grow(scope, levels - 1, each)));
    }
}

impl Case for Trees {
    fn parallel(&mut self) {
        for _ in 0..Self::TIMES {
            scope(|scope| grow(scope, Self::DEPTH, &|| {}));
        }
    }

    fn serial(&mut self) {
        (0..Self::TIMES * Self::JOBS).for_each(|job| _ = black_box(job));
    }

    /// As those of [`Scopes`].
    fn check(&self) -> Result<(), Problem> {
        let done = AtomicUsize::new(0);
        let count = || _ = done.fetch_add(1, Ordering::Relaxed);
        scope(|scope| grow(scope, Self::DEPTH, &count));
        check("the count of jobs", Self::JOBS, done.into_inner())
    }
}
