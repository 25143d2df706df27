//! Fibonacci numbers with a join at every call.

use crate::sampling::Case;
use rayon::join;
use std::hint::black_box;
use suite::fib;
use suite::program::{Problem, check};

const N: u64 = 30;

/// The last answer.
pub struct Fib {
    expected: u64,
    answer: u64,
}

impl Fib {
    /// Not yet computed by the pool.
    pub fn new() -> Self {
        Self {
            expected: fib(N),
            answer: 0,
        }
    }
}

impl Case for Fib {
    fn prepare(&mut self) {
        self.answer = 0;
    }

    fn parallel(&mut self) {
        self.answer = fork(black_box(N));
    }

    fn serial(&mut self) {
        self.answer = fib(black_box(N));
    }

    fn check(&self) -> Result<(), Problem> {
        check("the Fibonacci number", self.expected, self.answer)
    }
}

#[inline(never)]
fn fork(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fork(n - 1), || fork(n - 2));
    a + b
}
