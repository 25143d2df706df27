//! The triangles with a right angle and sides without a common divisor, by Euclid's formula: a loop
//! in a loop, of which each or both are parallel.

use crate::sampling::Case;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use std::hint::black_box;
use suite::program::{Problem, check};

/// The longest side is no longer.
const LIMIT: u32 = 1_000_000;
/// As tables of such triangles have it.
const EXPECTED: usize = 159_139;

/// What is parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// The loop outside.
    Outer,
    /// The loop inside.
    Inner,
    /// Both.
    Both,
    /// The loop outside, each of its steps a part of its own.
    OuterSingly,
    /// Both, each step of either a part of its own.
    BothSingly,
}

/// The last count.
pub struct Triples {
    walk: Walk,
    count: usize,
}

fn divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Whether the two make such a triangle, and one that no others make.
#[inline]
fn is_triple(m: u32, n: u32) -> bool {
    (m + n) % 2 == 1 && m * m + n * n <= LIMIT && divisor(m, n) == 1
}

fn with(m: u32) -> usize {
    (1..m).filter(|n| is_triple(m, *n)).count()
}

fn with_parallel(m: u32) -> usize {
    (1..m).into_par_iter().filter(|n| is_triple(m, *n)).count()
}

fn with_singly(m: u32) -> usize {
    let singly = (1..m).into_par_iter().with_max_len(1);
    singly.filter(|n| is_triple(m, *n)).count()
}

impl Triples {
    /// Not yet counted.
    pub fn new(walk: Walk) -> Self {
        Self { walk, count: 0 }
    }
}

impl Case for Triples {
    fn prepare(&mut self) {
        self.count = 0;
    }

    fn parallel(&mut self) {
        let all = 2..black_box(LIMIT).isqrt() + 1;
        self.count = match self.walk {
            Walk::Outer => all.into_par_iter().map(with).sum(),
            Walk::Inner => all.map(with_parallel).sum(),
            Walk::Both => all.into_par_iter().map(with_parallel).sum(),
            Walk::OuterSingly => all.into_par_iter().with_max_len(1).map(with).sum(),
            Walk::BothSingly => {
                let singly = all.into_par_iter().with_max_len(1);
                singly.map(with_singly).sum()
            }
        };
    }

    fn serial(&mut self) {
        self.count = (2..black_box(LIMIT).isqrt() + 1).map(with).sum();
    }

    fn check(&self) -> Result<(), Problem> {
        check("the count of triangles", EXPECTED, self.count)
    }
}
