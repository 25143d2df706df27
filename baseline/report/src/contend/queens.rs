//! In how many ways queens can stand on a board so that none threatens another; a task for each
//! place of each row.

use super::fork::{Fork, Half};

/// The largest board.
pub const MOST: usize = 16;

/// The known numbers, by the board's side.
const WAYS: [u64; MOST + 1] = [
    1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14_200, 73_712, 365_596, 2_279_184, 14_772_512,
];

/// In how many ways; 0 beyond the largest board.
pub fn expected(side: u64) -> u64 {
    let side = usize::try_from(side).unwrap_or(usize::MAX);
    WAYS.get(side).copied().unwrap_or(0)
}

/// The queens of the first rows.
#[derive(Clone, Copy, Default)]
pub struct Board {
    rows: usize,
    columns: [u8; MOST],
}

impl Board {
    /// Whether each of so many rows has its queen.
    pub fn is_full(&self, side: usize) -> bool {
        self.rows == side
    }

    /// Whether a queen in the next row's `column` is safe.
    pub fn is_safe(&self, column: u8) -> bool {
        let above = self.columns[..self.rows].iter().rev();
        above
            .zip(1..)
            .all(|(&other, rows): (_, u8)| other.abs_diff(column) != rows && other != column)
    }

    /// One with a queen there.
    pub fn with(mut self, column: u8) -> Self {
        self.columns[self.rows] = column;
        self.rows += 1;
        self
    }
}

/// Boards to go on from.
pub struct Boards<'a> {
    /// How many columns and rows there are.
    pub side: usize,
    /// Those.
    pub boards: &'a [Board],
}

impl Half for Boards<'_> {
    type Out = u64;

    #[inline]
    fn run(self, fork: impl Fork) -> u64 {
        let Self { side, boards } = self;
        match boards {
            [] => 0,
            [board] => complete(side, board, fork),
            _ => {
                let (left, right) = boards.split_at(boards.len() / 2);
                let left = Self { side, boards: left };
                let right = Self {
                    side,
                    boards: right,
                };
                let (left, right) = fork.join(left, right);
                left + right
            }
        }
    }
}

#[inline(never)]
fn complete(side: usize, board: &Board, fork: impl Fork) -> u64 {
    if board.is_full(side) {
        return 1;
    }
    let mut next = [Board::default(); MOST];
    let mut count = 0;
    for column in 0..side as u8 {
        if board.is_safe(column) {
            next[count] = board.with(column);
            count += 1;
        }
    }
    let boards = &next[..count];
    Boards { side, boards }.run(fork)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contend::fork::Plain;

    #[test]
    fn the_known_numbers_are_found() {
        for side in 1..=8 {
            let boards = &[Board::default()];
            let ways = Boards { side, boards }.run(Plain);
            assert_eq!(ways, expected(side as u64), "{side}");
        }
    }
}
