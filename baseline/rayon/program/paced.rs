//! The game of life as a game has it: a little work, then sleep, sixty times a second.

use crate::entry::Entry;
use crate::life::{Board, Walk};
use crate::options::Options;
use crate::problem::Figures;
use std::thread;
use std::time::{Duration, Instant};
use suite::{CpuClock, median, percentile};

const FRAME: Duration = Duration::from_nanos(1_000_000_000 / 60);
/// A second.
const WARM_UP: u32 = 60;

/// What frames take.
struct Paced {
    times: Vec<f64>,
    cpu: f64,
}

/// So many frames, after some that are paced as well and not counted.
fn frames(count: u32, mut frame: impl FnMut()) -> Paced {
    let mut paced = |count| {
        let mut times = Vec::new();
        let cpu = CpuClock::start();
        let start = Instant::now();
        for number in 1..=count {
            let begin = Instant::now();
            frame();
            times.push(begin.elapsed().as_secs_f64());
            thread::sleep((start + FRAME * number).saturating_duration_since(Instant::now()));
        }
        let cpu = cpu.elapsed() / start.elapsed().as_secs_f64();
        Paced { times, cpu }
    };
    paced(WARM_UP);
    paced(count)
}

/// Times of frames on the pool and without it, and the CPU seconds of a second of both. A frame is
/// one generation of so many rows, of which each takes two or three microseconds on one thread.
pub fn run(options: &Options, entry: &Entry, height: usize, walk: Walk) -> Figures {
    let count = options.length(3.0).div_duration_f64(FRAME) as u32;
    let (mut board, mut expected) = (Board::new(height), Board::new(height));
    let pool = frames(count, || {
        entry.enter(|| board.parallel(walk));
    });
    let serial = frames(count, || {
        expected.serial(walk);
    });
    board.check(&expected)?;
    let figures = [
        ("frame", median(&pool.times)),
        ("frame-serial", median(&serial.times)),
        ("p99", percentile(&pool.times, 0.99)),
        ("p99-serial", percentile(&serial.times, 0.99)),
        ("cpu", pool.cpu),
        ("cpu-serial", serial.cpu),
    ];
    Ok(figures
        .map(|(metric, figure)| (metric.to_owned(), figure))
        .into())
}
