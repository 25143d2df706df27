//! The workloads by `join`.

use heartbeat_pool::{ThreadPool, join};
use std::hint::black_box;
use suite::{
    Answer, Children, Cost, Frontier, Irregular, Items, Maze, Node, Tree, Uneven, one_ns, repeat,
    spin_from, ten_ns,
};

pub fn tree(pool: &ThreadPool, tree: &Tree, iterations: u64) -> Answer {
    pool.with_worker(|_| repeat(iterations, tree.sum, || sum(black_box(&tree.root))))
}

fn sum(node: &Node) -> u64 {
    let (left, right) = join(
        || node.left.as_deref().map_or(0, sum),
        || node.right.as_deref().map_or(0, sum),
    );
    node.value + left + right
}

pub fn fib(pool: &ThreadPool, n: u64, expected: u64, iterations: u64) -> Answer {
    pool.with_worker(|_| repeat(iterations, expected, || fork(black_box(n))))
}

fn fork(n: u64) -> u64 {
    if n < 2 {
        return n;
    }
    let (a, b) = join(|| fork(n - 1), || fork(n - 2));
    a + b
}

pub fn irregular(pool: &ThreadPool, tree: &Irregular, iterations: u64) -> Answer {
    pool.with_worker(|_| repeat(iterations, tree.nodes, || count(black_box(tree.roots))))
}

fn count(children: Children) -> u64 {
    if children.is_empty() {
        return 0;
    }
    if let Some(grandchildren) = children.only() {
        return 1 + count(grandchildren);
    }
    let (left, right) = children.halves();
    let (left, right) = join(|| count(left), || count(right));
    left + right
}

pub fn flood(pool: &ThreadPool, maze: &Maze, iterations: u64) -> Answer {
    pool.with_worker(|_| repeat(iterations, maze.reachable, || maze.flood_with(fill)))
}

fn fill(maze: &Maze, frontier: Frontier, flood: u8) -> Frontier {
    match frontier.halves() {
        Ok((left, right)) => {
            let (left, right) = join(|| fill(maze, left, flood), || fill(maze, right, flood));
            left.merge(right)
        }
        Err(small) => maze.leaf(small, flood),
    }
}

pub fn uneven(pool: &ThreadPool, work: &Uneven, iterations: u64) -> Answer {
    let tiny = || {
        (0..work.tiny_joins).fold(0_u64, |total, i| {
            let (a, b) = join(|| Uneven::tiny(i), || Uneven::tiny(!i));
            total.wrapping_add(a).wrapping_add(b)
        })
    };
    let once = || {
        let (long, tiny) = if work.long_first {
            join(|| work.long(), tiny)
        } else {
            let (tiny, long) = join(tiny, || work.long());
            (long, tiny)
        };
        work.combine(long, tiny)
    };
    pool.with_worker(|_| repeat(iterations, work.expected, once))
}

/// A leaf of a slice has this many items at most.
const LEAF: usize = 64;

pub fn for_each(pool: &ThreadPool, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
    pool.with_worker(|_| {
        items.repeat(cost, iterations, |values| match cost {
            Cost::OneNs => each(values, &one_ns),
            Cost::TenNs => each(values, &ten_ns),
            Cost::Steps(steps) => each(values, &|item| *item = spin_from(*item, steps)),
        })
    })
}

fn each(values: &mut [u64], f: &(impl Fn(&mut u64) + Sync)) {
    if values.len() <= LEAF {
        values.iter_mut().for_each(f);
        return;
    }
    let (left, right) = values.split_at_mut(values.len() / 2);
    join(|| each(left, f), || each(right, f));
}
