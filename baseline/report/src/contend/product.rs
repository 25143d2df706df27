//! A product of square matrices by quadrants.
//!
//! A matrix lies quadrant by quadrant, down to blocks, so that each quadrant is one piece of
//! memory.

use super::fork::{Fork, Half};

/// A block's side.
const BLOCK: usize = 32;

/// Fills a piece of memory with a matrix whose first element is that of row and column `at`.
fn fill(piece: &mut [f32], side: usize, at: (usize, usize), f: &impl Fn(usize, usize) -> f32) {
    if side == BLOCK {
        for (place, value) in piece.iter_mut().enumerate() {
            *value = f(at.0 + place / BLOCK, at.1 + place % BLOCK);
        }
        return;
    }
    let half = side / 2;
    for (quadrant, piece) in piece.chunks_exact_mut(half * half).enumerate() {
        let at = (at.0 + quadrant / 2 * half, at.1 + quadrant % 2 * half);
        fill(piece, half, at, f);
    }
}

/// The sum of all elements, each times what `f` gives for its row and column.
fn weigh(piece: &[f32], side: usize, at: (usize, usize), f: &impl Fn(usize, usize) -> u64) -> u64 {
    if side == BLOCK {
        let weighed = piece
            .iter()
            .enumerate()
            .map(|(place, value)| *value as u64 * f(at.0 + place / BLOCK, at.1 + place % BLOCK));
        return weighed.sum();
    }
    let half = side / 2;
    let quadrants = piece.chunks_exact(half * half).enumerate();
    quadrants
        .map(|(quadrant, piece)| {
            let at = (at.0 + quadrant / 2 * half, at.1 + quadrant % 2 * half);
            weigh(piece, half, at, f)
        })
        .sum()
}

fn left(row: usize, column: usize) -> usize {
    (row + 2 * column) % 3
}

fn right(row: usize, column: usize) -> usize {
    (3 * row + column) % 4
}

fn row_weight(row: usize) -> u64 {
    row as u64 % 7 + 1
}

fn column_weight(column: usize) -> u64 {
    column as u64 % 5 + 1
}

/// The weighed sum of the product's elements, from sums over rows and columns alone.
pub fn expected(side: u64) -> u64 {
    let side = side as usize;
    let inner = |k: usize| {
        let column: u64 = (0..side).map(|i| row_weight(i) * left(i, k) as u64).sum();
        let row: u64 = (0..side)
            .map(|j| column_weight(j) * right(k, j) as u64)
            .sum();
        column * row
    };
    (0..side).map(inner).sum()
}

/// Two matrices and the place for their product.
pub struct Matrices {
    side: usize,
    a: Vec<f32>,
    b: Vec<f32>,
    c: Vec<f32>,
}

impl Matrices {
    /// Of that side: a power of two, at least 32.
    pub fn new(side: u64) -> Self {
        let side = (side as usize).next_power_of_two().max(BLOCK);
        let matrix = |f: fn(usize, usize) -> usize| {
            let mut matrix = vec![0.0; side * side];
            fill(&mut matrix, side, (0, 0), &|i, j| f(i, j) as f32);
            matrix
        };
        Self {
            side,
            a: matrix(left),
            b: matrix(right),
            c: vec![0.0; side * side],
        }
    }

    /// Computes the product and gives its weighed sum.
    pub fn multiply(&mut self, fork: impl Fork) -> u64 {
        self.c.fill(0.0);
        let product = Product {
            a: &self.a,
            b: &self.b,
            c: &mut self.c,
            side: self.side,
        };
        product.run(fork);
        let weight = |i, j| row_weight(i) * column_weight(j);
        weigh(&self.c, self.side, (0, 0), &weight)
    }
}

/// `c += a * b`.
struct Product<'a> {
    a: &'a [f32],
    b: &'a [f32],
    c: &'a mut [f32],
    side: usize,
}

/// Two products.
struct Pair<'a>(Product<'a>, Product<'a>);

impl Half for Pair<'_> {
    type Out = ();

    #[inline]
    fn run(self, fork: impl Fork) {
        fork.join(self.0, self.1);
    }
}

fn quadrants(piece: &[f32]) -> [&[f32]; 4] {
    let (upper, lower) = piece.split_at(piece.len() / 2);
    let (a, b) = upper.split_at(upper.len() / 2);
    let (c, d) = lower.split_at(lower.len() / 2);
    [a, b, c, d]
}

impl Half for Product<'_> {
    type Out = ();

    #[inline(never)]
    fn run(self, mut fork: impl Fork) {
        if self.side == BLOCK {
            return block(self.a, self.b, self.c);
        }
        let side = self.side / 2;
        let (a, b) = (quadrants(self.a), quadrants(self.b));
        let (upper, lower) = self.c.split_at_mut(self.c.len() / 2);
        let (c0, c1) = upper.split_at_mut(upper.len() / 2);
        let (c2, c3) = lower.split_at_mut(lower.len() / 2);
        for inner in 0..2 {
            let product = |i: usize, j: usize, c| Product {
                a: a[2 * i + inner],
                b: b[2 * inner + j],
                c,
                side,
            };
            let upper = Pair(product(0, 0, &mut *c0), product(0, 1, &mut *c1));
            let lower = Pair(product(1, 0, &mut *c2), product(1, 1, &mut *c3));
            fork.again().join(upper, lower);
        }
    }
}

/// The product of two blocks.
#[inline(never)]
fn block(a: &[f32], b: &[f32], c: &mut [f32]) {
    for (a, c) in a.chunks_exact(BLOCK).zip(c.chunks_exact_mut(BLOCK)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(BLOCK)) {
            for (c, b) in c.iter_mut().zip(b) {
                *c += a * b;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contend::fork::Plain;

    #[test]
    fn the_weighed_sum_is_that_of_the_product() {
        for side in [32, 64, 128] {
            assert_eq!(Matrices::new(side).multiply(Plain), expected(side));
        }
    }
}
