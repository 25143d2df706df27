//! The game of life as a game has it: a generation, then sleep, sixty times a second.

use super::Task;
use super::fork::{Fork, Half, Plain, Program, enter};
use super::sampler::Figures;
use std::error::Error;
use std::thread;
use std::time::{Duration, Instant};
use suite::{CpuClock, Refusal, median, percentile};

const WIDTH: usize = 512;
const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);
/// A frame takes this many times a sample's length, for CPU time is counted coarsely.
const LONGER: u32 = 10;

type Row = [u8; WIDTH];

/// A board whose edges meet, and room for its next generation.
struct Board {
    now: Vec<Row>,
    next: Vec<Row>,
}

/// Some rows of the next generation.
struct Rows<'a> {
    now: &'a [Row],
    first: usize,
    next: &'a mut [Row],
}

impl Half for Rows<'_> {
    type Out = ();

    #[inline(never)]
    fn run(self, fork: impl Fork) {
        let Self { now, first, next } = self;
        if let [row] = next {
            return live(now, first, row);
        }
        let half = next.len() / 2;
        let (upper, lower) = next.split_at_mut(half);
        let part = |first, next| Rows { now, first, next };
        fork.join(part(first, upper), part(first + half, lower));
    }
}

fn live(now: &[Row], y: usize, row: &mut Row) {
    let (rows, width) = (now.len(), WIDTH);
    let around = [now[(y + rows - 1) % rows], now[y], now[(y + 1) % rows]];
    for (x, cell) in row.iter_mut().enumerate() {
        let columns = [(x + width - 1) % width, x, (x + 1) % width];
        let alive = |row: &Row| columns.map(|column| row[column]).iter().sum::<u8>();
        let alive: u8 = around.iter().map(alive).sum();
        // The cell itself is counted too.
        *cell = u8::from(alive == 3 || alive == 3 + around[1][x]);
    }
}

impl Board {
    /// About a third of its cells live.
    fn new(rows: usize) -> Self {
        let alive = |place: usize| {
            let hash = (place as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            u8::from((hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 62 == 0)
        };
        let row = |y: usize| std::array::from_fn(|x| alive(y * WIDTH + x));
        Self {
            now: (0..rows).map(row).collect(),
            next: vec![[0; WIDTH]; rows],
        }
    }

    fn step(&mut self, fork: impl Fork) {
        let (now, next) = (&*self.now, &mut *self.next);
        let first = 0;
        Rows { now, first, next }.run(fork);
        std::mem::swap(&mut self.now, &mut self.next);
    }
}

struct Paced {
    rows: usize,
    frames: u32,
}

impl Program for Paced {
    type Out = Result<Figures, Refusal>;

    fn run(self, mut fork: impl Fork) -> Self::Out {
        let (mut board, mut times) = (Board::new(self.rows), Vec::new());
        let (cpu, start) = (CpuClock::start(), Instant::now());
        for number in 1..=self.frames {
            let begin = Instant::now();
            board.step(fork.again());
            times.push(begin.elapsed().as_secs_f64());
            thread::sleep((start + FRAME * number).saturating_duration_since(Instant::now()));
        }
        let cpu = cpu.elapsed() / start.elapsed().as_secs_f64();
        let mut expected = Board::new(self.rows);
        (0..self.frames).for_each(|_| expected.step(Plain));
        suite::check(0, u64::from(board.now != expected.now))?;
        Ok(vec![
            ("time", median(&times)),
            ("p99", percentile(&times, 0.99)),
            ("cpu", cpu),
            ("answer", self.rows as f64),
        ])
    }
}

/// Runs it if it is that workload.
pub fn run(task: Task<'_>) -> Option<Result<Figures, Box<dyn Error>>> {
    (task.workload == "life-paced").then(|| {
        let length = task.sampler.limit() * LONGER;
        let program = Paced {
            rows: usize::try_from(task.size)?,
            frames: (length.div_duration_f64(FRAME) as u32).max(2),
        };
        Ok(enter(task.name, task.threads, program)??)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glider_glides() {
        let mut board = Board::new(16);
        board.now = vec![[0; WIDTH]; 16];
        let glider = [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)];
        for (y, x) in glider {
            board.now[y][x] = 1;
        }
        (0..4).for_each(|_| board.step(Plain));
        for (y, x) in glider {
            assert_eq!(board.now[y + 1][x + 1], 1, "{y} {x}");
        }
        let alive: u32 = board
            .now
            .as_flattened()
            .iter()
            .map(|cell| u32::from(*cell))
            .sum();
        assert_eq!(alive, 5);
    }
}
