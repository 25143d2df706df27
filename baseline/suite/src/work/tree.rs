//! A perfect binary tree, with next to no work at a node.

/// A node in a box of its own.
pub struct Node {
    /// What is summed.
    pub value: u64,
    /// The first subtree.
    pub left: Option<Box<Node>>,
    /// The second subtree.
    pub right: Option<Box<Node>>,
}

/// A perfect binary tree with its sum.
pub struct Tree {
    /// The node that everything hangs from.
    pub root: Box<Node>,
    /// The sum of all values.
    pub sum: u64,
    /// How many nodes there are.
    pub nodes: u64,
}

impl Tree {
    /// A tree of that many levels, at least one.
    ///
    /// Its nodes are allocated level by level: in the order of a walk they would lie well for
    /// pools that walk in that order, and badly for the others.
    #[must_use]
    pub fn perfect(levels: u32) -> Self {
        let mut nodes = 1;
        let mut root = Node::leaf(nodes);
        let mut level = vec![&mut *root];
        for _ in 1..levels {
            let mut next = Vec::with_capacity(2 * level.len());
            for Node { left, right, .. } in level {
                for child in [left, right] {
                    nodes += 1;
                    next.push(&mut **child.insert(Node::leaf(nodes)));
                }
            }
            level = next;
        }
        Self {
            root,
            sum: nodes * (nodes + 1) / 2,
            nodes,
        }
    }
}

impl Node {
    fn leaf(value: u64) -> Box<Self> {
        Box::new(Self {
            value,
            left: None,
            right: None,
        })
    }
}

/// The serial reference.
#[inline(never)]
pub fn sum(node: &Node) -> u64 {
    let left = node.left.as_deref().map_or(0, sum);
    let right = node.right.as_deref().map_or(0, sum);
    node.value + left + right
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sum_is_that_of_all_nodes() {
        let tree = Tree::perfect(10);
        assert_eq!(tree.nodes, 1023);
        assert_eq!(sum(&tree.root), tree.sum);
    }
}
