//! The primes below a limit, by segments that fit into a cache.

use crate::sampling::Case;
use rayon::iter::{IndexedParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;
use suite::program::{Problem, check};

const LIMIT: usize = 20_000_000;
/// As tables of primes have it.
const EXPECTED: usize = 1_270_607;
/// Odd numbers of a segment.
const SEGMENT: usize = 32 * 1024;

/// Whether each odd number is a prime, and how many are.
pub struct Sieve {
    is_prime: Vec<bool>,
    small: Vec<usize>,
    count: usize,
}

impl Sieve {
    /// Knows the odd primes up to the limit's root.
    pub fn new() -> Self {
        let is_prime = |n: &usize| {
            let mut divisors = (2..).take_while(|divisor| divisor * divisor <= *n);
            !divisors.any(|divisor| n.is_multiple_of(divisor))
        };
        let small = (3..=LIMIT.isqrt()).step_by(2).filter(is_prime);
        Self {
            is_prime: vec![false; LIMIT / 2],
            small: small.collect(),
            count: 0,
        }
    }
}

/// Crosses out what is no prime in a segment and counts what is left. The place `i` of the whole
/// stands for `2 * i + 1`.
fn sieve(small: &[usize], number: usize, segment: &mut [bool]) -> usize {
    segment.fill(true);
    let first = number * SEGMENT;
    let end = first + segment.len();
    // One is none.
    if first == 0 {
        segment[0] = false;
    }
    for prime in small {
        let square = prime * prime / 2;
        if square >= end {
            break;
        }
        // Places of odd multiples are as far apart as the prime is great.
        let behind = first.saturating_sub(square);
        let start = square + behind.div_ceil(*prime) * prime - first;
        segment
            .iter_mut()
            .skip(start)
            .step_by(*prime)
            .for_each(|is_prime| *is_prime = false);
    }
    segment.iter().filter(|is_prime| **is_prime).count()
}

impl Case for Sieve {
    fn prepare(&mut self) {
        self.count = 0;
    }

    fn parallel(&mut self) {
        let segments = self.is_prime.par_chunks_mut(SEGMENT).enumerate();
        let counts = segments.map(|(number, segment)| sieve(&self.small, number, segment));
        // And two.
        self.count = counts.sum::<usize>() + 1;
    }

    fn serial(&mut self) {
        let segments = self.is_prime.chunks_mut(SEGMENT).enumerate();
        let counts = segments.map(|(number, segment)| sieve(&self.small, number, segment));
        self.count = counts.sum::<usize>() + 1;
    }

    fn check(&self) -> Result<(), Problem> {
        check("the count of primes", EXPECTED, self.count)
    }
}
