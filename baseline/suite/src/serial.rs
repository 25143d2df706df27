//! One thread and no pool: what the others are measured by.

use crate::answer::{Answer, repeat};
use crate::contender::Contender;
use crate::fork_join::by_cost;
use crate::work::coarse::Coarse;
use crate::work::fib::fib;
use crate::work::irregular::{self, Irregular};
use crate::work::items::{Cost, Items};
use crate::work::maze::{self, Maze};
use crate::work::spin::spin;
use crate::work::tree::{self, Tree};
use crate::work::uneven::{self, Uneven};
use std::hint::black_box;

/// The serial reference.
#[derive(Debug)]
pub struct Serial;

impl Serial {
    /// Its name.
    pub const NAME: &'static str = "serial";
}

impl Contender for Serial {
    fn name(&self) -> &'static str {
        Self::NAME
    }

    fn tree(&self, tree: &Tree, iterations: u64) -> Answer {
        repeat(iterations, tree.sum, || tree::sum(black_box(&tree.root)))
    }

    fn fib(&self, n: u64, expected: u64, iterations: u64) -> Answer {
        repeat(iterations, expected, || fib(black_box(n)))
    }

    fn irregular(&self, tree: &Irregular, iterations: u64) -> Answer {
        repeat(iterations, tree.nodes, || {
            irregular::count(black_box(tree.roots))
        })
    }

    fn flood(&self, maze: &Maze, iterations: u64) -> Answer {
        repeat(iterations, maze.reachable, || maze.flood_with(maze::fill))
    }

    fn uneven(&self, work: &Uneven, iterations: u64) -> Answer {
        repeat(iterations, work.expected, || uneven::serial(work))
    }

    fn for_each(&self, items: &mut Items, cost: Cost, iterations: u64) -> Answer {
        items.repeat(cost, iterations, |values| {
            by_cost!(cost, |f| values.iter_mut().for_each(f));
        })
    }

    fn coarse(&self, work: &Coarse, iterations: u64) -> Answer {
        work.repeat(iterations, |results| {
            for result in results {
                *result = spin(work.steps);
            }
        })
    }
}
