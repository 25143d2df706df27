//! A random grid to flood, its cells claimed by whoever comes first.

use crate::work::mix::mix;
use std::sync::atomic::{AtomicU8, Ordering};

/// Open cells out of 100; from 60 on one pool of them reaches across the grid.
const OPEN: u64 = 65;
const WALL: u8 = u8::MAX;
/// How many cells a leaf fills before it hands back the rest of its stack.
const LEAF_CELLS: u64 = 1024;
/// A leaf starts from this many cells at most.
const LEAF_START: usize = 64;

/// A square grid of walls and open cells, with a wall all around.
pub struct Maze {
    /// Each cell holds the number of the flood that filled it last.
    cells: Vec<AtomicU8>,
    width: usize,
    flood: AtomicU8,
    /// How many cells a flood fills.
    pub reachable: u64,
}

/// Cells that are filled, with neighbours not looked at yet.
pub struct Frontier {
    cells: Vec<u32>,
    /// The cells whose neighbours have been looked at.
    pub filled: u64,
}

impl Maze {
    /// A grid of `width` times `width` cells.
    #[must_use]
    pub fn new(width: usize) -> Self {
        let cell = |index: usize| {
            let (x, y) = (index % width, index / width);
            let border = x == 0 || y == 0 || x == width - 1 || y == width - 1;
            let centre = x == width / 2 && y == width / 2;
            let open = centre || (!border && mix(index as u64) % 100 < OPEN);
            AtomicU8::new(if open { 0 } else { WALL })
        };
        let mut maze = Self {
            cells: (0..width * width).map(cell).collect(),
            width,
            flood: AtomicU8::new(0),
            reachable: 0,
        };
        maze.reachable = maze.flood_with(fill);
        maze
    }

    /// Begins a new flood at the centre, and calls `expand` until nothing is left to look at.
    /// Gives the number of cells filled.
    pub fn flood_with(&self, mut expand: impl FnMut(&Self, Frontier, u8) -> Frontier) -> u64 {
        let last = self.flood.load(Ordering::Relaxed);
        let flood = if last + 1 == WALL { 1 } else { last + 1 };
        self.flood.store(flood, Ordering::Relaxed);
        let centre = self.width / 2 * self.width + self.width / 2;
        self.cells[centre].store(flood, Ordering::Relaxed);
        let mut frontier = Frontier {
            cells: vec![u32::try_from(centre).unwrap_or(u32::MAX)],
            filled: 0,
        };
        while !frontier.cells.is_empty() {
            frontier = expand(self, frontier, flood);
        }
        frontier.filled
    }

    #[inline]
    fn claim(&self, cell: usize, flood: u8) -> bool {
        let cell = &self.cells[cell];
        let seen = cell.load(Ordering::Relaxed);
        // Relaxed: the swap alone decides who fills the cell.
        seen != flood && seen != WALL && cell.swap(flood, Ordering::Relaxed) != flood
    }

    /// Fills from a small frontier on, up to a bound, and gives back what is left.
    #[must_use]
    pub fn leaf(&self, mut frontier: Frontier, flood: u8) -> Frontier {
        let bound = frontier.filled + LEAF_CELLS;
        while frontier.filled < bound {
            let Some(cell) = frontier.cells.pop() else {
                break;
            };
            frontier.filled += 1;
            let cell = cell as usize;
            for next in [cell - 1, cell + 1, cell - self.width, cell + self.width] {
                if self.claim(next, flood) {
                    // The grid has fewer cells than a u32 can number.
                    frontier.cells.push(next as u32);
                }
            }
        }
        frontier
    }
}

impl Frontier {
    /// Two halves, unless it is small enough for a leaf.
    ///
    /// # Errors
    ///
    /// The frontier itself, if it is small.
    pub fn halves(mut self) -> Result<(Self, Self), Self> {
        if self.cells.len() <= LEAF_START {
            return Err(self);
        }
        let right = Self {
            cells: self.cells.split_off(self.cells.len() / 2),
            filled: 0,
        };
        Ok((self, right))
    }

    /// Both together.
    #[must_use]
    pub fn merge(mut self, mut other: Self) -> Self {
        self.cells.append(&mut other.cells);
        self.filled += other.filled;
        self
    }
}

/// The serial reference: one round.
#[inline(never)]
pub fn fill(maze: &Maze, frontier: Frontier, flood: u8) -> Frontier {
    match frontier.halves() {
        Ok((left, right)) => {
            let left = fill(maze, left, flood);
            left.merge(fill(maze, right, flood))
        }
        Err(small) => maze.leaf(small, flood),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floods_follow_each_other_without_a_reset() {
        let maze = Maze::new(256);
        assert!(maze.reachable > 256 * 256 / 2, "{}", maze.reachable);
        for _ in 0..600 {
            assert_eq!(maze.flood_with(fill), maze.reachable);
        }
    }
}
