//! A tree whose shape a hash decides, after the "unbalanced tree search" benchmark: most subtrees
//! are tiny, a few are thousands of times larger, and nothing tells which.

use crate::work::mix::mix;

/// Each node has this many children or none.
const CHILDREN: u32 = 4;
/// The chance of having children, out of 1,000: subtrees of 50 nodes on average.
const CHANCE: u64 = 245;

/// A tree that exists only as its hashes.
pub struct Irregular {
    /// The root's children.
    pub roots: Children,
    /// How many nodes there are, without the root.
    pub nodes: u64,
}

/// Neighbouring children of one node.
#[derive(Clone, Copy)]
pub struct Children {
    parent: u64,
    first: u32,
    count: u32,
}

impl Irregular {
    /// A tree whose root has that many children.
    #[must_use]
    pub fn new(roots: u32) -> Self {
        let roots = Children {
            parent: 0,
            first: 0,
            count: roots,
        };
        Self {
            roots,
            nodes: count(roots),
        }
    }
}

impl Children {
    /// Whether there are none.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.count == 0
    }

    /// If there is just one, its own children.
    #[inline]
    #[must_use]
    pub fn only(self) -> Option<Self> {
        (self.count == 1).then(|| {
            let node = mix(self.parent ^ mix(u64::from(self.first)));
            let count = if node % 1000 < CHANCE { CHILDREN } else { 0 };
            Self {
                parent: node,
                first: 0,
                count,
            }
        })
    }

    /// Two halves.
    #[inline]
    #[must_use]
    pub fn halves(self) -> (Self, Self) {
        let half = self.count / 2;
        let left = Self {
            count: half,
            ..self
        };
        let right = Self {
            first: self.first + half,
            count: self.count - half,
            ..self
        };
        (left, right)
    }
}

/// The serial reference.
#[inline(never)]
pub fn count(children: Children) -> u64 {
    if children.is_empty() {
        return 0;
    }
    if let Some(grandchildren) = children.only() {
        return 1 + count(grandchildren);
    }
    let (left, right) = children.halves();
    count(left) + count(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(children: Children) -> usize {
        if children.is_empty() {
            return 0;
        }
        if let Some(grandchildren) = children.only() {
            return 1 + depth(grandchildren);
        }
        let (left, right) = children.halves();
        1 + depth(left).max(depth(right))
    }

    #[test]
    fn it_is_large_and_its_recursion_fits_a_threads_stack() {
        let tree = Irregular::new(1 << 15);
        assert!(
            (1_000_000..4_000_000).contains(&tree.nodes),
            "{}",
            tree.nodes
        );
        assert!(depth(tree.roots) < 3000, "{}", depth(tree.roots));
    }
}
