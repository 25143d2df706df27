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
    #[must_use]
    pub fn perfect(levels: u32) -> Self {
        let mut nodes = 0;
        let root = grow(levels, &mut nodes);
        Self {
            root,
            sum: nodes * (nodes + 1) / 2,
            nodes,
        }
    }
}

fn grow(levels: u32, nodes: &mut u64) -> Box<Node> {
    *nodes += 1;
    let value = *nodes;
    let mut child = || (levels > 1).then(|| grow(levels - 1, nodes));
    let left = child();
    let right = child();
    Box::new(Node { value, left, right })
}

/// The serial reference.
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
