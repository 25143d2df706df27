//! Walks over a binary tree whose nodes are numbered: the children of `n` are `2 * n` and the next.

use crate::sampling::Case;
use rayon::iter::{ParallelIterator, walk_tree, walk_tree_postfix, walk_tree_prefix};
use std::hint::black_box;
use std::ops::Range;
use suite::program::{Problem, check, check_all};

/// No node has so great a number; the lowest level is not full.
const END: u64 = 100_000;
const ROOT: u64 = 1;

/// Which node comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A node before its children.
    Prefix,
    /// A node after its children.
    Postfix,
}

#[inline]
fn children(node: &u64) -> Range<u64> {
    let first = (2 * *node).min(END);
    first..(first + 2).min(END)
}

fn walk(order: Order, node: u64, see: &mut impl FnMut(u64)) {
    if order == Order::Prefix {
        see(node);
    }
    children(&node).for_each(|child| walk(order, child, see));
    if order == Order::Postfix {
        see(node);
    }
}

/// The nodes as the last walk came to them.
pub struct Nodes {
    order: Order,
    expected: Vec<u64>,
    nodes: Vec<u64>,
}

impl Nodes {
    /// By a walk on this thread.
    pub fn new(order: Order) -> Self {
        let mut nodes = Self {
            order,
            expected: Vec::new(),
            nodes: Vec::new(),
        };
        nodes.serial();
        nodes.expected = nodes.nodes.clone();
        nodes
    }
}

impl Case for Nodes {
    fn prepare(&mut self) {
        self.nodes = Vec::new();
    }

    fn parallel(&mut self) {
        let root = black_box(ROOT);
        self.nodes = match self.order {
            Order::Prefix => walk_tree_prefix(root, children).collect(),
            Order::Postfix => walk_tree_postfix(root, children).collect(),
        };
    }

    fn serial(&mut self) {
        let mut nodes = Vec::new();
        walk(self.order, black_box(ROOT), &mut |node| nodes.push(node));
        self.nodes = nodes;
    }

    fn check(&self) -> Result<(), Problem> {
        check_all("a node", &self.expected, &self.nodes)
    }
}

/// The last sum of all nodes' numbers, in whichever order.
pub struct Sum(u64);

impl Sum {
    /// Not yet computed.
    pub fn new() -> Self {
        Self(0)
    }
}

impl Case for Sum {
    fn prepare(&mut self) {
        self.0 = 0;
    }

    fn parallel(&mut self) {
        self.0 = walk_tree(black_box(ROOT), children).sum();
    }

    fn serial(&mut self) {
        let mut sum = 0;
        walk(Order::Prefix, black_box(ROOT), &mut |node| sum += node);
        self.0 = sum;
    }

    fn check(&self) -> Result<(), Problem> {
        check("the sum", END * (END - 1) / 2, self.0)
    }
}
