//! Programs that fork and join, for a runtime that has tasks alone: of those that are forked the
//! last is a future in a box, each other one a task.

use super::Task;
use super::queens::{self, Board};
use super::sampler::Figures;
use super::skynet;
use super::spawner::Spawner;
use super::tasks::{Round, sample};
use std::error::Error;
use std::pin::Pin;

/// The `n`th Fibonacci number, without a recursion.
pub fn fibonacci(n: u64) -> u64 {
    (0..n).fold((0, 1), |(a, b), _| (b, a + b)).0
}

type Boxed = Pin<Box<dyn Future<Output = u64> + Send>>;

/// The sum of all that `parts` come to.
async fn sum<S: Spawner>(spawner: S, parts: impl Iterator<Item = Boxed> + Send) -> u64 {
    let mut parts: Vec<Boxed> = parts.collect();
    let last = parts.pop();
    let tasks: Vec<S::Task<u64>> = parts.into_iter().map(|part| spawner.spawn(part)).collect();
    let mut sum = match last {
        Some(last) => last.await,
        None => 0,
    };
    for task in tasks {
        sum += task.await;
    }
    sum
}

fn fib<S: Spawner>(spawner: S, n: u64) -> Boxed {
    Box::pin(async move {
        if n < 2 {
            return n;
        }
        let task = spawner.spawn(fib(spawner.clone(), n - 1));
        let below = fib(spawner, n - 2).await;
        task.await + below
    })
}

fn leaves<S: Spawner>(spawner: S, first: u64, count: u64) -> Boxed {
    Box::pin(async move {
        if count <= 1 {
            return first;
        }
        let (below, parts) = (count / 10, spawner.clone());
        let part = move |part| leaves(parts.clone(), first + part * below, below);
        sum(spawner, (0..10).map(part)).await
    })
}

fn boards<S: Spawner>(spawner: S, side: u8, board: Board) -> Boxed {
    Box::pin(async move {
        if board.is_full(side.into()) {
            return 1;
        }
        let parts = spawner.clone();
        let safe = (0..side).filter(move |column| board.is_safe(*column));
        let part = move |column| boards(parts.clone(), side, board.with(column));
        sum(spawner, safe.map(part)).await
    })
}

#[derive(Clone, Copy)]
struct Fib(u64);

impl Round for Fib {
    async fn once(&self, spawner: &impl Spawner) -> u64 {
        spawner.spawn(fib(spawner.clone(), self.0)).await
    }
}

#[derive(Clone, Copy)]
struct Leaves(u64);

impl Round for Leaves {
    async fn once(&self, spawner: &impl Spawner) -> u64 {
        spawner.spawn(leaves(spawner.clone(), 0, self.0)).await
    }
}

#[derive(Clone, Copy)]
struct Queens(u8);

impl Round for Queens {
    async fn once(&self, spawner: &impl Spawner) -> u64 {
        let root = boards(spawner.clone(), self.0, Board::default());
        spawner.spawn(root).await
    }
}

/// Runs it if it is one of those here, and the contender one that has tasks alone.
pub fn run(task: Task<'_>) -> Option<Result<Figures, Box<dyn Error>>> {
    if task.name != "tokio" {
        return None;
    }
    let size = task.size;
    let figures = match task.workload {
        "fib" => sample(task, Fib(size), fibonacci(size)),
        "skynet" => sample(task, Leaves(size), skynet::expected(size)),
        "nqueens" if (1..=queens::MOST as u64).contains(&size) => {
            sample(task, Queens(size as u8), queens::expected(size))
        }
        _ => return None,
    };
    Some(figures.map_err(Into::into))
}
