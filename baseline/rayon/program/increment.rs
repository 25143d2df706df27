//! Numbers that are incremented, which is nothing beside the joins: their cost alone.

use crate::fork::{Fork, Pool, Serial};
use crate::sampling::Case;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefMutIterator, ParallelIterator};
use std::hint::black_box;
use suite::program::{Problem, check_all};

const COUNT: usize = 100_000;
const TIMES: usize = 10;

/// How they are split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Split {
    /// As the parallel iterator thinks best.
    Own,
    /// Into parts of no fewer than this.
    AtLeast(usize),
    /// Into parts of no more than this.
    AtMost(usize),
    /// By a recursion of joins, down to single numbers.
    Joins,
    /// By a recursion of joins of so many levels.
    Levels(u32),
}

/// Numbers that all begin with zero.
pub struct Increment {
    split: Split,
    numbers: Vec<u64>,
    expected: Vec<u64>,
}

impl Increment {
    /// With what each must be in the end.
    pub fn new(split: Split) -> Self {
        Self {
            split,
            numbers: vec![0; COUNT],
            expected: vec![TIMES as u64; COUNT],
        }
    }
}

#[inline]
fn increment(number: &mut u64) {
    *number = number.wrapping_add(1);
}

fn halve<F: Fork>(numbers: &mut [u64], levels: u32) {
    if numbers.len() <= 1 || levels == 0 {
        return numbers.iter_mut().for_each(increment);
    }
    let (low, high) = numbers.split_at_mut(numbers.len() / 2);
    F::fork(
        || halve::<F>(low, levels - 1),
        || halve::<F>(high, levels - 1),
    );
}

impl Case for Increment {
    fn prepare(&mut self) {
        self.numbers.fill(0);
    }

    fn parallel(&mut self) {
        for _ in 0..TIMES {
            let numbers = black_box(&mut self.numbers);
            match self.split {
                Split::Own => numbers.par_iter_mut().for_each(increment),
                Split::AtLeast(fewest) => numbers
                    .par_iter_mut()
                    .with_min_len(fewest)
                    .for_each(increment),
                Split::AtMost(most) => numbers
                    .par_iter_mut()
                    .with_max_len(most)
                    .for_each(increment),
                Split::Joins => halve::<Pool>(numbers, u32::MAX),
                Split::Levels(levels) => halve::<Pool>(numbers, levels),
            }
        }
    }

    fn serial(&mut self) {
        for _ in 0..TIMES {
            let numbers = black_box(&mut self.numbers);
            match self.split {
                Split::Own | Split::AtLeast(_) | Split::AtMost(_) => {
                    numbers.iter_mut().for_each(increment);
                }
                Split::Joins => halve::<Serial>(numbers, u32::MAX),
                Split::Levels(levels) => halve::<Serial>(numbers, levels),
            }
        }
    }

    fn check(&self) -> Result<(), Problem> {
        check_all("a number", &self.expected, &self.numbers)
    }
}
