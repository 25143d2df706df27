//! The workloads by `Worker::join`.

use forte::{ThreadPool, Worker};
use std::hint::black_box;
use suite::{
    Answer, Children, Cost, Frontier, Irregular, Items, Maze, Node, Tree, Uneven, one_ns, repeat,
    spin_from, ten_ns,
};

pub fn tree(pool: &'static ThreadPool, tree: &Tree, iterations: u64) -> Answer {
    pool.with_worker(|worker| repeat(iterations, tree.sum, || sum(black_box(&tree.root), worker)))
}

#[inline(never)]
fn sum(node: &Node, worker: &Worker) -> u64 {
    let (left, right) = worker.join(
        |worker| node.left.as_deref().map_or(0, |node| sum(node, worker)),
        |worker| node.right.as_deref().map_or(0, |node| sum(node, worker)),
    );
    node.value + left + right
}

pub fn fib(pool: &'static ThreadPool, n: u64, expected: u64, iterations: u64) -> Answer {
    pool.with_worker(|worker| repeat(iterations, expected, || fork(black_box(n), worker)))
}

#[inline(never)]
fn fork(n: u64, worker: &Worker) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = worker.join(|worker| fork(n - 1, worker), |worker| fork(n - 2, worker));
    a + b
}

pub fn irregular(pool: &'static ThreadPool, tree: &Irregular, iterations: u64) -> Answer {
    pool.with_worker(|worker| {
        repeat(iterations, tree.nodes, || {
            count(black_box(tree.roots), worker)
        })
    })
}

#[inline(never)]
fn count(children: Children, worker: &Worker) -> u64 {
    if children.is_empty() {
        return 0;
    }
    if let Some(grandchildren) = children.only() {
        return 1 + count(grandchildren, worker);
    }
    let (left, right) = children.halves();
    let (left, right) = worker.join(|worker| count(left, worker), |worker| count(right, worker));
    left + right
}

pub fn flood(pool: &'static ThreadPool, maze: &Maze, iterations: u64) -> Answer {
    pool.with_worker(|worker| {
        repeat(iterations, maze.reachable, || {
            maze.flood_with(|maze, frontier, flood| fill(maze, frontier, flood, worker))
        })
    })
}

#[inline(never)]
fn fill(maze: &Maze, frontier: Frontier, flood: u8, worker: &Worker) -> Frontier {
    match frontier.halves() {
        Ok((left, right)) => {
            let (left, right) = worker.join(
                |worker| fill(maze, left, flood, worker),
                |worker| fill(maze, right, flood, worker),
            );
            left.merge(right)
        }
        Err(small) => maze.leaf(small, flood),
    }
}

fn tiny(work: &Uneven, worker: &Worker) -> u64 {
    (0..work.tiny_joins).fold(0_u64, |total, i| {
        let (a, b) = worker.join(|_| Uneven::tiny(i), |_| Uneven::tiny(!i));
        total.wrapping_add(a).wrapping_add(b)
    })
}

pub fn uneven(pool: &'static ThreadPool, work: &Uneven, iterations: u64) -> Answer {
    pool.with_worker(|worker| {
        repeat(iterations, work.expected, || {
            let (long, tiny) = if work.long_first {
                worker.join(|_| work.long(), |worker| tiny(work, worker))
            } else {
                let (tiny, long) = worker.join(|worker| tiny(work, worker), |_| work.long());
                (long, tiny)
            };
            work.combine(long, tiny)
        })
    })
}

/// A leaf of a slice has this many items at most, as in forte's own benchmarks.
const LEAF: usize = 64;

pub fn for_each(
    pool: &'static ThreadPool,
    items: &mut Items,
    cost: Cost,
    iterations: u64,
) -> Answer {
    pool.with_worker(|worker| {
        items.repeat(cost, iterations, |values| match cost {
            Cost::OneNs => each(values, &one_ns, worker),
            Cost::TenNs => each(values, &ten_ns, worker),
            Cost::Steps(steps) => {
                let f = |item: &mut u64| *item = spin_from(*item, steps);
                each(values, &f, worker);
            }
        })
    })
}

#[inline(never)]
fn each(values: &mut [u64], f: &(impl Fn(&mut u64) + Sync), worker: &Worker) {
    if values.len() <= LEAF {
        values.iter_mut().for_each(f);
        return;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    worker.join(
        |worker| each(left, f, worker),
        |worker| each(right, f, worker),
    );
}
