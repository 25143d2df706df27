//! A product of matrices by quadrants.

use crate::fork::{Fork, Pool, Serial};
use crate::random::Random;
use crate::sampling::Case;
use suite::program::{Problem, check_all};

const SIZE: usize = 512;
/// Blocks of this size are multiplied by loops.
const BLOCK: usize = 16;
const BLOCK_LENGTH: usize = BLOCK * BLOCK;

/// Its quadrants one after the other, theirs too, down to blocks that lie row by row: so each is a
/// slice, and threads can have one each.
type Matrix = Vec<f64>;

/// Where an element lies in a [`Matrix`].
fn place(row: usize, column: usize) -> usize {
    let mut place = 0;
    let mut size = SIZE;
    let (mut row, mut column) = (row, column);
    while size > BLOCK {
        size /= 2;
        place += (row / size * 2 + column / size) * size * size;
        (row, column) = (row % size, column % size);
    }
    place + row * BLOCK + column
}

fn from_rows(rows: &[f64]) -> Matrix {
    let mut matrix = vec![0.0; rows.len()];
    for (index, element) in rows.iter().enumerate() {
        matrix[place(index / SIZE, index % SIZE)] = *element;
    }
    matrix
}

/// By the definition, all in rows.
fn multiply_rows(a: &[f64], b: &[f64]) -> Vec<f64> {
    let mut product = vec![0.0; a.len()];
    for (row, product) in product.chunks_mut(SIZE).enumerate() {
        for (factor, other) in a[row * SIZE..].iter().zip(b.chunks(SIZE)) {
            let sums = product.iter_mut().zip(other);
            sums.for_each(|(sum, element)| *sum += factor * element);
        }
    }
    product
}

/// Two matrices and their product.
pub struct Product {
    a: Matrix,
    b: Matrix,
    expected: Matrix,
    product: Matrix,
}

impl Product {
    /// Of small whole numbers, whose sums are exact in any order.
    pub fn new() -> Self {
        let mut random = Random::new(3);
        let mut rows = || -> Vec<f64> {
            let elements = (0..SIZE * SIZE).map(|_| random.below(7) as f64 - 3.0);
            elements.collect()
        };
        let (a, b) = (rows(), rows());
        Self {
            expected: from_rows(&multiply_rows(&a, &b)),
            a: from_rows(&a),
            b: from_rows(&b),
            product: vec![0.0; SIZE * SIZE],
        }
    }

    fn run<F: Fork>(&mut self) {
        add_product::<F>(&self.a, &self.b, &mut self.product);
    }
}

impl Case for Product {
    fn prepare(&mut self) {
        self.product.fill(0.0);
    }

    fn parallel(&mut self) {
        self.run::<Pool>();
    }

    fn serial(&mut self) {
        self.run::<Serial>();
    }

    fn check(&self) -> Result<(), Problem> {
        check_all("an element", &self.expected, &self.product)
    }
}

fn quadrants(matrix: &[f64]) -> [&[f64]; 4] {
    let (top, bottom) = matrix.split_at(matrix.len() / 2);
    let (a, b) = top.split_at(top.len() / 2);
    let (c, d) = bottom.split_at(bottom.len() / 2);
    [a, b, c, d]
}

/// Adds the product of the first two to the third.
fn add_product<F: Fork>(a: &[f64], b: &[f64], sum: &mut [f64]) {
    if sum.len() == BLOCK_LENGTH {
        return add_block(a, b, sum);
    }
    let [a11, a12, a21, a22] = quadrants(a);
    let [b11, b12, b21, b22] = quadrants(b);
    let (top, bottom) = sum.split_at_mut(sum.len() / 2);
    let (s11, s12) = top.split_at_mut(top.len() / 2);
    let (s21, s22) = bottom.split_at_mut(bottom.len() / 2);
    // A quadrant's two products are added one after the other, the quadrants are independent.
    let quadrant = |row: [&[f64]; 2], column: [&[f64]; 2], sum: &mut [f64]| {
        add_product::<F>(row[0], column[0], sum);
        add_product::<F>(row[1], column[1], sum);
    };
    F::fork(
        || {
            F::fork(
                || quadrant([a11, a12], [b11, b21], s11),
                || quadrant([a11, a12], [b12, b22], s12),
            )
        },
        || {
            F::fork(
                || quadrant([a21, a22], [b11, b21], s21),
                || quadrant([a21, a22], [b12, b22], s22),
            )
        },
    );
}

fn add_block(a: &[f64], b: &[f64], sum: &mut [f64]) {
    for (row, sums) in a.chunks_exact(BLOCK).zip(sum.chunks_exact_mut(BLOCK)) {
        for (factor, other) in row.iter().zip(b.chunks_exact(BLOCK)) {
            let sums = sums.iter_mut().zip(other);
            sums.for_each(|(sum, element)| *sum += factor * element);
        }
    }
}
