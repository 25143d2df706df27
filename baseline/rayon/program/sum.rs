//! A sum over ten million numbers.

use crate::random::Random;
use crate::sampling::Case;
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use suite::program::{Problem, check};
use suite::spin_from;

const COUNT: usize = 10_000_000;

/// The numbers and the last answer.
pub struct Sum {
    numbers: Vec<u32>,
    expected: u64,
    answer: u64,
}

/// A nanosecond or two; small enough that no sum overflows.
fn mix(number: &u32) -> u64 {
    spin_from(u64::from(*number), 1) >> 32
}

impl Sum {
    /// Of random numbers.
    pub fn new() -> Self {
        let mut random = Random::new(2);
        let numbers: Vec<u32> = (0..COUNT).map(|_| random.next() as u32).collect();
        Self {
            expected: numbers.iter().map(mix).sum(),
            numbers,
            answer: 0,
        }
    }
}

impl Case for Sum {
    fn prepare(&mut self) {
        self.answer = 0;
    }

    fn parallel(&mut self) {
        self.answer = self.numbers.par_iter().map(mix).sum();
    }

    fn serial(&mut self) {
        self.answer = self.numbers.iter().map(mix).sum();
    }

    fn check(&self) -> Result<(), Problem> {
        check("the sum", self.expected, self.answer)
    }
}
