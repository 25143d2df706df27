//! The workloads that this report shares with the other comparisons: each contender's own code.

use super::Task;
use super::layout::Layout;
use super::lineup::contender;
use super::sampler::Figures;
use std::error::Error;
use suite::{Answer, Contender, Cost, Entry, Items, fib};

type Outcome = Result<Figures, Box<dyn Error>>;

/// Runs it if it is one of those here.
pub fn run(task: Task<'_>) -> Option<Outcome> {
    let size = task.size;
    Some(match task.workload {
        "fib" => {
            let expected = fib(size);
            of(task, expected, |pool, n| pool.fib(size, expected, n))
        }
        "tree" => tree(task, Layout::Levels),
        "tree-mirrored" => tree(task, Layout::LevelsMirrored),
        "tree-boxed" => tree(task, Layout::ChildrenFirst),
        "tree-boxed-mirrored" => tree(task, Layout::ChildrenFirstMirrored),
        "slice-1ns" => slice(task, Cost::OneNs),
        "slice-10ns" => slice(task, Cost::TenNs),
        "spawn-inside" => spawn(task, Entry::Worker),
        "spawn-outside" => spawn(task, Entry::Outside),
        "yields" => of(task, size, |pool, n| pool.yields(size, n)),
        "ping-pong" => of(task, 2 * size, |pool, n| pool.ping_pong(size, n)),
        _ => return None,
    })
}

fn of(task: Task<'_>, answer: u64, mut run: impl FnMut(&dyn Contender, u64) -> Answer) -> Outcome {
    let contender = contender(task.name, task.threads)?;
    let run = |iterations| run(&*contender, iterations);
    let mut figures = task.sampler.run(run)?;
    figures.push(("answer", answer as f64));
    Ok(figures)
}

fn tree(task: Task<'_>, layout: Layout) -> Outcome {
    let tree = layout.build(task.size);
    of(task, tree.sum, |pool, n| pool.tree(&tree, n))
}

fn slice(task: Task<'_>, cost: Cost) -> Outcome {
    let len = usize::try_from(task.size)?;
    let mut items = Items::new(len);
    let figures = of(task, task.size, |pool, n| {
        pool.for_each(&mut items, cost, n)
    })?;
    items.verify()?;
    Ok(figures)
}

fn spawn(task: Task<'_>, entry: Entry) -> Outcome {
    let tasks = usize::try_from(task.size)?;
    of(task, task.size, |pool, n| pool.spawn_await(entry, tasks, n))
}
