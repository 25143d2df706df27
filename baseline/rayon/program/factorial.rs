//! The product of all numbers up to one, exact: each product takes as long as its factors are.

use crate::fork::{Fork, Pool, Serial};
use crate::sampling::Case;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::hint::black_box;
use suite::program::{Problem, check_all};

const N: u64 = 10_000;

/// A number without bounds. The lowest 64 bits come first, and the last ones are not all zero.
type Big = Vec<u64>;

/// How the factors are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By halves, down to single factors.
    Join,
    /// By `reduce`, each factor a number without bounds.
    Reduce,
    /// By `fold` with a factor at a time, then `reduce`.
    Fold,
}

fn one() -> Big {
    vec![1]
}

/// The sum's lower half; the upper one is carried.
#[inline]
fn add_product(sum: u64, a: u64, b: u64, carry: &mut u64) -> u64 {
    let wide = u128::from(a) * u128::from(b) + u128::from(sum) + u128::from(*carry);
    *carry = (wide >> 64) as u64;
    wide as u64
}

fn times(mut number: Big, factor: u64) -> Big {
    let mut carry = 0;
    for part in &mut number {
        *part = add_product(0, *part, factor, &mut carry);
    }
    if carry > 0 {
        number.push(carry);
    }
    number
}

fn multiply(a: &[u64], b: &[u64]) -> Big {
    let (shorter, longer) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut product = vec![0; a.len() + b.len()];
    for (start, factor) in shorter.iter().enumerate() {
        let mut carry = 0;
        for (slot, part) in product[start..].iter_mut().zip(longer) {
            *slot = add_product(*slot, *factor, *part, &mut carry);
        }
        product[start + longer.len()] = carry;
    }
    // Neither factor is zero, so one at most is too many.
    if product.last() == Some(&0) {
        product.pop();
    }
    product
}

/// Of the numbers from `first` up to `end`, which is no more among them.
fn product<F: Fork>(first: u64, end: u64) -> Big {
    if end - first == 1 {
        return vec![first];
    }
    let middle = first.midpoint(end);
    let (low, high) = F::fork(|| product::<F>(first, middle), || product::<F>(middle, end));
    multiply(&low, &high)
}

/// The last answer.
pub struct Factorial {
    way: Way,
    expected: Big,
    answer: Big,
}

impl Factorial {
    /// Not yet computed by the pool.
    pub fn new(way: Way) -> Self {
        Self {
            way,
            expected: (1..=N).fold(one(), times),
            answer: Big::new(),
        }
    }
}

impl Case for Factorial {
    fn prepare(&mut self) {
        self.answer = Big::new();
    }

    fn parallel(&mut self) {
        let n = black_box(N);
        let factors = (1..=n).into_par_iter();
        self.answer = match self.way {
            Way::Join => product::<Pool>(1, n + 1),
            Way::Reduce => factors
                .map(|factor| vec![factor])
                .reduce(one, |a, b| multiply(&a, &b)),
            Way::Fold => factors
                .fold(one, times)
                .reduce(one, |a, b| multiply(&a, &b)),
        };
    }

    fn serial(&mut self) {
        let n = black_box(N);
        let factors = 1..=n;
        self.answer = match self.way {
            Way::Join => product::<Serial>(1, n + 1),
            Way::Reduce => factors
                .map(|factor| vec![factor])
                .fold(one(), |a, b| multiply(&a, &b)),
            Way::Fold => factors.fold(one(), times),
        };
    }

    fn check(&self) -> Result<(), Problem> {
        check_all("a part of the product", &self.expected, &self.answer)
    }
}
