//! Sorting a million numbers, by what sorts.

use crate::random::Random;
use crate::sampling::Case;
use rayon::slice::ParallelSliceMut;
use suite::program::{Problem, check_all};

const COUNT: usize = 1_000_000;

/// What sorts.
pub trait Sort: Send + Sync {
    /// On the pool.
    fn parallel(&mut self, numbers: &mut [u32]);
    /// On this thread.
    fn serial(&mut self, numbers: &mut [u32]);
}

/// The same numbers sorted again and again.
pub struct Sorting<S> {
    sort: S,
    shuffled: Vec<u32>,
    sorted: Vec<u32>,
    numbers: Vec<u32>,
}

impl<S> Sorting<S> {
    /// By this.
    pub fn new(sort: S) -> Self {
        let mut random = Random::new(1);
        let shuffled: Vec<u32> = (0..COUNT).map(|_| random.next() as u32).collect();
        let mut sorted = shuffled.clone();
        sorted.sort();
        Self {
            sort,
            numbers: shuffled.clone(),
            shuffled,
            sorted,
        }
    }
}

impl<S: Sort> Case for Sorting<S> {
    fn prepare(&mut self) {
        self.numbers.copy_from_slice(&self.shuffled);
    }

    fn parallel(&mut self) {
        self.sort.parallel(&mut self.numbers);
    }

    fn serial(&mut self) {
        self.sort.serial(&mut self.numbers);
    }

    fn check(&self) -> Result<(), Problem> {
        check_all("a sorted number", &self.sorted, &self.numbers)
    }
}

/// rayon's own merge sort.
pub struct Stable;

impl Sort for Stable {
    fn parallel(&mut self, numbers: &mut [u32]) {
        numbers.par_sort();
    }

    fn serial(&mut self, numbers: &mut [u32]) {
        numbers.sort();
    }
}

/// rayon's own quick sort.
pub struct Unstable;

impl Sort for Unstable {
    fn parallel(&mut self, numbers: &mut [u32]) {
        numbers.par_sort_unstable();
    }

    fn serial(&mut self, numbers: &mut [u32]) {
        numbers.sort_unstable();
    }
}
