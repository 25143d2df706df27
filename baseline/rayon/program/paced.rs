//! The game of life as a game has it: a little work, then sleep, sixty times a second.

use crate::entry::Entry;
use crate::life::{Board, Walk};
use suite::program::{Figures, Options, Problem, named};
use suite::{FRAME, Paced, median, percentile};

/// Frames that are not counted: a second.
pub const WARM_UP: u32 = 60;

/// So many frames, after some that are paced as well and not counted.
pub fn frames(count: u32, mut frame: impl FnMut()) -> Result<Paced, Problem> {
    let mut frame = || {
        frame();
        Ok::<(), Problem>(())
    };
    Paced::run(WARM_UP, &mut frame)?;
    Paced::run(count, frame)
}

/// Times of frames on the pool and without it, and the CPU seconds of a second of both. A frame is
/// one generation of so many rows, of which each takes two or three microseconds on one thread.
pub fn run(options: &Options, entry: &Entry, height: usize, walk: Walk) -> Figures {
    let count = options.length(3.0).div_duration_f64(FRAME) as u32;
    let (mut board, mut expected) = (Board::new(height), Board::new(height));
    let pool = frames(count, || {
        entry.enter(|| board.parallel(walk));
    })?;
    let serial = frames(count, || {
        expected.serial(walk);
    })?;
    board.check(&expected)?;
    Ok(named([
        ("frame", median(&pool.times)),
        ("frame-serial", median(&serial.times)),
        ("p99", percentile(&pool.times, 0.99)),
        ("p99-serial", percentile(&serial.times, 0.99)),
        ("cpu", pool.cpu / pool.wall),
        ("cpu-serial", serial.cpu / serial.wall),
    ]))
}
