//! A pool as the suite sees it.

use crate::answer::{Answer, Refusal};
use crate::work::burst::Burst;
use crate::work::coarse::Coarse;
use crate::work::irregular::Irregular;
use crate::work::items::{Cost, Items};
use crate::work::maze::Maze;
use crate::work::tree::Tree;
use crate::work::uneven::Uneven;
use std::sync::Arc;

/// Where a workload's loop runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// On a thread that is in the pool already: one entry a sample.
    Worker,
    /// On a thread from outside: one entry an iteration.
    Outside,
}

impl Entry {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Worker, Self::Outside];

    /// For a workload's name.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Worker => "from a worker",
            Self::Outside => "from outside",
        }
    }
}

/// A pool with its own code for each workload. Whatever is left out is not supported.
///
/// Each method runs the whole workload `iterations` times, checks every answer, and, unless it
/// takes an [`Entry`] or says otherwise, enters the pool once.
///
/// The recursions by join, the serial ones too, are `#[inline(never)]`: so the closures are inlined
/// into the function and not, once in a while, the function into its closures, and the code has
/// the same shape for all.
pub trait Contender {
    /// The pool's name in tables and in options.
    fn name(&self) -> &'static str;

    /// Sums a tree's values by a join at every node.
    fn tree(&self, _tree: &Tree, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// The `n`th Fibonacci number by a join at every call with `n` of two and more.
    fn fib(&self, _n: u64, _expected: u64, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// Counts an irregular tree's nodes, joining each node's children in halves.
    fn irregular(&self, _tree: &Irregular, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// Fills a maze from its centre, joining each round's frontier in halves.
    fn flood(&self, _maze: &Maze, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// Joins one long leaf with a loop of tiny joins.
    fn uneven(&self, _work: &Uneven, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// Applies a function of this cost to each item of a slice.
    fn for_each(&self, _items: &mut Items, _cost: Cost, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// A scope of closures that do nearly nothing.
    fn scope(&self, _entry: Entry, _tasks: usize, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// A scope of futures that are ready at once.
    fn scope_futures(&self, _entry: Entry, _tasks: usize, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// From outside, a scope of jobs that each [`spin`](crate::spin) for a while; by joins in
    /// halves where there are no scopes.
    fn coarse(&self, _work: &Coarse, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// Spawns futures and awaits all of them, in order.
    fn spawn_await(&self, _entry: Entry, _tasks: usize, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// From outside, spawns one task that yields so often, and waits for it.
    fn yields(&self, _yields: u64, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// From outside, spawns two tasks that send each other so many messages, and waits for both.
    fn ping_pong(&self, _messages: u64, _iterations: u64) -> Answer {
        Err(Refusal::Unsupported)
    }

    /// From outside, spawns the jobs of a burst and returns at once.
    fn spawn_burst(&self, _burst: &Arc<Burst>) -> Answer {
        Err(Refusal::Unsupported)
    }
}
