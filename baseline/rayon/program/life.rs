//! The game of life on a torus.

use crate::random::Random;
use crate::sampling::Case;
use rayon::iter::{
    IndexedParallelIterator, IntoParallelRefMutIterator, ParallelBridge, ParallelIterator,
};
use std::mem;
use suite::program::{Problem, check_all};

const WIDTH: usize = 512;
/// Rows of most boards.
pub const HEIGHT: usize = 512;

/// How a generation goes over the cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// A parallel iterator over cells.
    Cells,
    /// A parallel iterator over rows.
    Rows,
    /// A serial iterator over cells, by way of a bridge.
    BridgedCells,
    /// A serial iterator over rows, by way of a bridge.
    BridgedRows,
}

/// A cell is 1 if it lives.
type Row = [u8; WIDTH];

/// A generation and the one before.
pub struct Board {
    now: Vec<Row>,
    next: Vec<Row>,
}

/// What becomes of a cell.
#[inline]
fn cell(now: &[Row], x: usize, y: usize) -> u8 {
    let last = now.len() - 1;
    let above = if y == 0 { last } else { y - 1 };
    let below = if y == last { 0 } else { y + 1 };
    let rows = [above, y, below];
    let columns = [(x + WIDTH - 1) % WIDTH, x % WIDTH, (x + 1) % WIDTH];
    let alive = |row: &Row| row[columns[0]] + row[columns[1]] + row[columns[2]];
    let alive: u8 = rows.into_iter().map(|y| alive(&now[y])).sum();
    // Itself is counted too.
    u8::from(alive == 3 || alive == 3 + now[y][x % WIDTH])
}

fn set_cell(now: &[Row], (place, slot): (usize, &mut u8)) {
    *slot = cell(now, place % WIDTH, place / WIDTH);
}

fn set_row(now: &[Row], (y, row): (usize, &mut Row)) {
    row.iter_mut()
        .enumerate()
        .for_each(|(x, slot)| *slot = cell(now, x, y));
}

impl Board {
    /// So many rows. A third of the cells live.
    pub fn new(height: usize) -> Self {
        let mut random = Random::new(5);
        let mut row = |_| [0; WIDTH].map(|_| u8::from(random.below(3) == 0));
        Self {
            now: (0..height).map(&mut row).collect(),
            next: vec![[0; WIDTH]; height],
        }
    }

    /// The next generation, on the pool.
    pub fn parallel(&mut self, walk: Walk) {
        let (now, next) = (&self.now, &mut self.next);
        match walk {
            Walk::Cells => {
                let cells = next.as_flattened_mut().par_iter_mut().enumerate();
                cells.for_each(|cell| set_cell(now, cell));
            }
            Walk::Rows => {
                let rows = next.par_iter_mut().enumerate();
                rows.for_each(|row| set_row(now, row));
            }
            Walk::BridgedCells => {
                let cells = next.as_flattened_mut().iter_mut().enumerate().par_bridge();
                cells.for_each(|cell| set_cell(now, cell));
            }
            Walk::BridgedRows => {
                let rows = next.iter_mut().enumerate().par_bridge();
                rows.for_each(|row| set_row(now, row));
            }
        }
        mem::swap(&mut self.now, &mut self.next);
    }

    /// The next generation, on this thread.
    pub fn serial(&mut self, walk: Walk) {
        let (now, next) = (&self.now, &mut self.next);
        match walk {
            Walk::Cells | Walk::BridgedCells => {
                let cells = next.as_flattened_mut().iter_mut().enumerate();
                cells.for_each(|cell| set_cell(now, cell));
            }
            Walk::Rows | Walk::BridgedRows => {
                let rows = next.iter_mut().enumerate();
                rows.for_each(|row| set_row(now, row));
            }
        }
        mem::swap(&mut self.now, &mut self.next);
    }

    /// Whether another has the same cells.
    pub fn check(&self, expected: &Self) -> Result<(), Problem> {
        check_all(
            "a cell",
            expected.now.as_flattened(),
            self.now.as_flattened(),
        )
    }
}

/// So many generations, one after the other.
pub struct Life {
    walk: Walk,
    generations: usize,
    first: Vec<Row>,
    expected: Board,
    board: Board,
}

impl Life {
    /// From the same first one each time.
    pub fn new(walk: Walk, generations: usize) -> Self {
        let mut expected = Board::new(HEIGHT);
        (0..generations).for_each(|_| expected.serial(Walk::Cells));
        let board = Board::new(HEIGHT);
        Self {
            walk,
            generations,
            first: board.now.clone(),
            expected,
            board,
        }
    }
}

impl Case for Life {
    fn prepare(&mut self) {
        self.board.now.copy_from_slice(&self.first);
    }

    fn parallel(&mut self) {
        (0..self.generations).for_each(|_| self.board.parallel(self.walk));
    }

    fn serial(&mut self) {
        (0..self.generations).for_each(|_| self.board.serial(self.walk));
    }

    fn check(&self) -> Result<(), Problem> {
        self.board.check(&self.expected)
    }
}
