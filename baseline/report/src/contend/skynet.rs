//! A tree of tasks with ten children each, whose leaves are numbered and added up.

use super::fork::{Fork, Half};

/// The sum of all leaves' numbers.
pub fn expected(leaves: u64) -> u64 {
    leaves * leaves.saturating_sub(1) / 2
}

/// One task, with as many leaves below it as a power of ten.
pub struct Skynet {
    /// The number of its first leaf.
    pub first: u64,
    /// How many leaves it has.
    pub leaves: u64,
}

/// Neighbouring tasks.
struct Several {
    first: u64,
    leaves: u64,
    tasks: u64,
}

impl Half for Skynet {
    type Out = u64;

    #[inline(never)]
    fn run(self, fork: impl Fork) -> u64 {
        if self.leaves <= 1 {
            return self.first;
        }
        let children = Several {
            first: self.first,
            leaves: self.leaves / 10,
            tasks: 10,
        };
        children.run(fork)
    }
}

impl Half for Several {
    type Out = u64;

    #[inline]
    fn run(self, fork: impl Fork) -> u64 {
        let Self {
            first,
            leaves,
            tasks,
        } = self;
        if tasks == 1 {
            return Skynet { first, leaves }.run(fork);
        }
        let half = tasks / 2;
        let left = Self {
            first,
            leaves,
            tasks: half,
        };
        let right = Self {
            first: first + half * leaves,
            leaves,
            tasks: tasks - half,
        };
        let (left, right) = fork.join(left, right);
        left + right
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contend::fork::Plain;

    #[test]
    fn every_leaf_counts_once() {
        let root = Skynet {
            first: 0,
            leaves: 1000,
        };
        assert_eq!(root.run(Plain), expected(1000));
    }
}
