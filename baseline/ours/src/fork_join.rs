//! The workloads by `Worker::join` and `Worker::for_each`.

use heartbeat_pool::{ThreadPool, Worker};
use std::hint::black_box;
use suite::{
    Answer, Children, Cost, Frontier, Irregular, Items, Maze, Node, Tree, Uneven, one_ns, repeat,
    spin_from, ten_ns,
};

pub fn tree(pool: &ThreadPool, tree: &Tree, iterations: u64) -> Answer {
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

pub fn fib(pool: &ThreadPool, n: u64, expected: u64, iterations: u64) -> Answer {
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

pub fn irregular(pool: &ThreadPool, tree: &Irregular, iterations: u64) -> Answer {
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

pub fn flood(pool: &ThreadPool, maze: &Maze, iterations: u64) -> Answer {
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

pub fn uneven(pool: &ThreadPool, work: &Uneven, iterations: u64) -> Answer {
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

pub fn for_each(pool: &ThreadPool, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
    pool.with_worker(|worker| {
        items.repeat(cost, iterations, |values| match cost {
            Cost::OneNs => worker.for_each(values, one_ns),
            Cost::TenNs => worker.for_each(values, ten_ns),
            Cost::Steps(steps) => worker.for_each(values, |item| *item = spin_from(*item, steps)),
        })
    })
}
