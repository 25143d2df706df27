//! chili as a contender.
//!
//! Its pool starts one thread less than it is told, for the thread that holds a scope runs as well.
//! A scope keeps a thread that beats: each sample has one scope, which ends with it.

use chili::{Config, Scope, ThreadPool};
use std::hint::black_box;
use std::num::NonZero;
use suite::{
    Answer, Children, Coarse, Contender, Cost, Frontier, Irregular, Items, Maze, Node, Tree,
    Uneven, one_ns, repeat, spin, spin_from, ten_ns,
};

/// chili's pool.
#[derive(Debug)]
pub struct Chili {
    pool: ThreadPool,
}

impl Chili {
    /// Its name.
    pub const NAME: &'static str = "chili";

    /// With that many threads, the caller's among them.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let pool = ThreadPool::with_config(Config {
            thread_count: NonZero::new(threads),
            ..Config::default()
        });
        Self { pool }
    }
}

#[inline(never)]
fn sum(node: &Node, scope: &mut Scope<'_>) -> u64 {
    let (left, right) = scope.join(
        |scope| node.left.as_deref().map_or(0, |node| sum(node, scope)),
        |scope| node.right.as_deref().map_or(0, |node| sum(node, scope)),
    );
    node.value + left + right
}

#[inline(never)]
fn fork(n: u64, scope: &mut Scope<'_>) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = scope.join(|scope| fork(n - 1, scope), |scope| fork(n - 2, scope));
    a + b
}

#[inline(never)]
fn count(children: Children, scope: &mut Scope<'_>) -> u64 {
    if children.is_empty() {
        return 0;
    }
    if let Some(grandchildren) = children.only() {
        return 1 + count(grandchildren, scope);
    }
    let (left, right) = children.halves();
    let (left, right) = scope.join(|scope| count(left, scope), |scope| count(right, scope));
    left + right
}

#[inline(never)]
fn fill(maze: &Maze, frontier: Frontier, flood: u8, scope: &mut Scope<'_>) -> Frontier {
    match frontier.halves() {
        Ok((left, right)) => {
            let (left, right) = scope.join(
                |scope| fill(maze, left, flood, scope),
                |scope| fill(maze, right, flood, scope),
            );
            left.merge(right)
        }
        Err(small) => maze.leaf(small, flood),
    }
}

fn tiny(work: &Uneven, scope: &mut Scope<'_>) -> u64 {
    (0..work.tiny_joins).fold(0_u64, |total, i| {
        let (a, b) = scope.join(|_| Uneven::tiny(i), |_| Uneven::tiny(!i));
        total.wrapping_add(a).wrapping_add(b)
    })
}

/// A leaf of a slice has this many items at most.
const LEAF: usize = 64;

#[inline(never)]
fn each(values: &mut [u64], f: &(impl Fn(&mut u64) + Sync), scope: &mut Scope<'_>) {
    if values.len() <= LEAF {
        values.iter_mut().for_each(f);
        return;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    scope.join(|scope| each(left, f, scope), |scope| each(right, f, scope));
}

#[inline(never)]
fn spin_all(results: &mut [u64], steps: u64, scope: &mut Scope<'_>) {
    match results {
        [] => {}
        [result] => *result = spin(steps),
        _ => {
            let (left, right) = results.split_at_mut(results.len() / 2);
            scope.join(
                |scope| spin_all(left, steps, scope),
                |scope| spin_all(right, steps, scope),
            );
        }
    }
}

impl Contender for Chili {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn tree(&self, tree: &Tree, iterations: u64) -> Answer {
        let mut scope = self.pool.scope();
        repeat(iterations, tree.sum, || {
            sum(black_box(&tree.root), &mut scope)
        })
    }

    fn fib(&self, n: u64, expected: u64, iterations: u64) -> Answer {
        let mut scope = self.pool.scope();
        repeat(iterations, expected, || fork(black_box(n), &mut scope))
    }

    fn irregular(&self, tree: &Irregular, iterations: u64) -> Answer {
        let mut scope = self.pool.scope();
        repeat(iterations, tree.nodes, || {
            count(black_box(tree.roots), &mut scope)
        })
    }

    fn flood(&self, maze: &Maze, iterations: u64) -> Answer {
        let mut scope = self.pool.scope();
        repeat(iterations, maze.reachable, || {
            maze.flood_with(|maze, frontier, flood| fill(maze, frontier, flood, &mut scope))
        })
    }

    fn uneven(&self, work: &Uneven, iterations: u64) -> Answer {
        let mut scope = self.pool.scope();
        repeat(iterations, work.expected, || {
            let (long, tiny) = if work.long_first {
                scope.join(|_| work.long(), |scope| tiny(work, scope))
            } else {
                let (tiny, long) = scope.join(|scope| tiny(work, scope), |_| work.long());
                (long, tiny)
            };
            work.combine(long, tiny)
        })
    }

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        let mut scope = self.pool.scope();
        items.repeat(cost, iterations, |values| match cost {
            Cost::OneNs => each(values, &one_ns, &mut scope),
            Cost::TenNs => each(values, &ten_ns, &mut scope),
            Cost::Steps(steps) => {
                let f = |item: &mut u64| *item = spin_from(*item, steps);
                each(values, &f, &mut scope);
            }
        })
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        // From outside: the scope is part of what is timed.
        work.repeat(iterations, |results| {
            spin_all(results, work.steps, &mut self.pool.scope());
        })
    }
}
