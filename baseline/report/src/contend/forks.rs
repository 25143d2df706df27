//! The workloads of programs that fork and join.

use super::Task;
use super::fork::{Fork, Half, Plain, Program, enter};
use super::product::{self, Matrices};
use super::queens::{self, Board, Boards};
use super::rays::{self, Image, Node};
use super::sampler::{Figures, Sampler};
use super::skynet::{self, Skynet};
use std::error::Error;
use std::hint::black_box;
use suite::{Refusal, repeat};

type Outcome = Result<Figures, Refusal>;

/// What is computed again and again, inside of a pool.
trait Work: Send {
    /// Once.
    fn once(&mut self, fork: impl Fork) -> u64;
}

/// The loop around it.
struct Loop<W> {
    work: W,
    expected: u64,
    sampler: Sampler,
}

impl<W: Work> Program for Loop<W> {
    type Out = Outcome;

    fn run(mut self, mut fork: impl Fork) -> Outcome {
        let expected = self.expected;
        let mut figures = self
            .sampler
            .run(|iterations| repeat(iterations, expected, || self.work.once(fork.again())))?;
        figures.push(("answer", expected as f64));
        Ok(figures)
    }
}

struct Leaves(u64);

impl Work for Leaves {
    fn once(&mut self, fork: impl Fork) -> u64 {
        let leaves = black_box(self.0);
        Skynet { first: 0, leaves }.run(fork)
    }
}

struct Queens(u64);

impl Work for Queens {
    fn once(&mut self, fork: impl Fork) -> u64 {
        let (side, boards) = (black_box(self.0) as usize, &[Board::default()]);
        Boards { side, boards }.run(fork)
    }
}

impl Work for Matrices {
    fn once(&mut self, fork: impl Fork) -> u64 {
        self.multiply(fork)
    }
}

/// A hierarchy of boxes; the answer is that all its triangles are found again.
struct Build {
    triangles: Vec<rays::Triangle>,
}

impl Work for Build {
    fn once(&mut self, fork: impl Fork) -> u64 {
        rays::build(&mut self.triangles, fork).triangles()
    }
}

/// An image; the answer is what one thread saw.
struct Look(Node);

impl Work for Look {
    fn once(&mut self, fork: impl Fork) -> u64 {
        Image::new(&self.0).cast(fork)
    }
}

fn look(task: Task<'_>) -> Outcome {
    let root = rays::build(&mut rays::scene(task.size), Plain);
    let expected = Image::new(&root).cast(Plain);
    let mut figures = sample(task, Look(root), expected)?;
    // The number itself is known to none but this process.
    figures.retain(|(metric, _)| *metric != "answer");
    figures.push(("answer", task.size as f64));
    Ok(figures)
}

/// Runs it if it is one of those here.
pub fn run(task: Task<'_>) -> Option<Result<Figures, Box<dyn Error>>> {
    let Task { size, .. } = task;
    let figures = match task.workload {
        "skynet" => sample(task, Leaves(size), skynet::expected(size)),
        "nqueens" if (1..=queens::MOST as u64).contains(&size) => {
            sample(task, Queens(size), queens::expected(size))
        }
        "bvh-build" => {
            let triangles = rays::scene(size);
            sample(task, Build { triangles }, size)
        }
        "bvh-rays" => look(task),
        "matmul" => sample(task, Matrices::new(size), product::expected(size)),
        _ => return None,
    };
    Some(figures.map_err(Into::into))
}

fn sample<W: Work>(task: Task<'_>, work: W, expected: u64) -> Outcome {
    let program = Loop {
        work,
        expected,
        sampler: task.sampler,
    };
    enter(task.name, task.threads, program)?
}
