//! Recursions by join.

use crate::options::Options;
use crate::workload::{Made, Size, Workload};
use std::time::Duration;
use suite::{Irregular, Maze, Tree, Uneven, fib};

/// All of this kind.
pub fn workloads(options: &Options) -> Vec<Workload> {
    let (large, n) = if options.common.quick {
        (20, 30)
    } else {
        (24, 36)
    };
    let large_name = if options.common.quick {
        "tree-1M"
    } else {
        "tree-16M"
    };
    vec![
        tree("tree-1023", 10),
        tree(large_name, large),
        fibonacci(n, Size::One, 1),
        fibonacci(n, Size::Told, options.threads),
        irregular(),
        flood(),
        uneven("tiny-under-long", true),
        uneven("long-under-tiny", false),
    ]
}

fn tree(name: &str, levels: u32) -> Workload {
    let about = "Sum of a perfect binary tree, with a join at every node.";
    Workload::sampled(name, about, Size::Told, move |_| {
        let tree = Tree::perfect(levels);
        let nodes = tree.nodes;
        Made::call(move |pool, iterations| pool.tree(&tree, iterations)).each(nodes, "node")
    })
}

fn fibonacci(n: u64, size: Size, threads: usize) -> Workload {
    let name = format!("fib-{n} x{threads}");
    let about = format!("Fibonacci by a join at every call, {threads} running thread(s).");
    Workload::sampled(name, about, size, move |_| {
        let expected = fib(n);
        // A call with n of two or more forks; there are fib(n + 1) - 1 of them.
        let forks = fib(n + 1) - 1;
        Made::call(move |pool, iterations| pool.fib(n, expected, iterations)).each(forks, "fork")
    })
}

fn irregular() -> Workload {
    let about = "Nodes of a tree whose shape a hash decides: most subtrees tiny, a few huge.";
    Workload::sampled("unbalanced", about, Size::Told, |_| {
        let tree = Irregular::new(1 << 15);
        let nodes = tree.nodes;
        Made::call(move |pool, iterations| pool.irregular(&tree, iterations)).each(nodes, "node")
    })
}

fn flood() -> Workload {
    let about = "Flood fill of a 2048 x 2048 maze: each round halves the frontier by joins, down \
                 to 64 cells, from where a leaf fills up to 1,024.";
    Workload::sampled("flood", about, Size::Told, |_| {
        let maze = Maze::new(2048);
        let cells = maze.reachable;
        Made::call(move |pool, iterations| pool.flood(&maze, iterations)).each(cells, "cell")
    })
}

fn uneven(name: &str, long_first: bool) -> Workload {
    let order = if long_first { "first" } else { "second" };
    let about = format!(
        "A join of a serial leaf of 2 ms and of 100,000 tiny joins; the long half is the {order}."
    );
    Workload::sampled(name, about, Size::Told, move |bench| {
        let long = bench.spinner.steps(Duration::from_millis(2));
        let work = Uneven::new(long_first, long, 100_000);
        Made::call(move |pool, iterations| pool.uneven(&work, iterations))
    })
}
