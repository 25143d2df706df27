//! One tree in four places: how its nodes lie decides what a walk costs.
//!
//! A walk that visits the left child first does to a layout what one that visits the right child
//! first does to its mirror image. So every pool is measured on both orders by layouts alone.

use suite::{Node, Tree};

/// In which order the nodes are allocated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// Level by level, from the left.
    Levels,
    /// Level by level, from the right: as if the walk visited the right child first.
    LevelsMirrored,
    /// Both children's subtrees before their parent, the left one first.
    ChildrenFirst,
    /// Both children's subtrees before their parent, the right one first: as if the walk visited
    /// the right child first.
    ChildrenFirstMirrored,
}

impl Layout {
    /// Builds a perfect tree of at most so many nodes.
    pub fn build(self, nodes: u64) -> Tree {
        let levels = (nodes + 1).ilog2().max(1);
        match self {
            Self::Levels => Tree::perfect(levels),
            Self::LevelsMirrored => {
                let mut tree = Tree::perfect(levels);
                mirror(&mut tree.root);
                tree
            }
            Self::ChildrenFirst | Self::ChildrenFirstMirrored => {
                let mut nodes = 0;
                let root = subtree(levels, self == Self::ChildrenFirst, &mut nodes);
                let sum = nodes * (nodes + 1) / 2;
                Tree { root, sum, nodes }
            }
        }
    }
}

fn mirror(node: &mut Node) {
    (node.left, node.right) = (node.right.take(), node.left.take());
    for child in [&mut node.left, &mut node.right].into_iter().flatten() {
        mirror(child);
    }
}

fn subtree(levels: u32, left_first: bool, nodes: &mut u64) -> Box<Node> {
    let (mut left, mut right) = (None, None);
    if levels > 1 {
        let places = if left_first {
            [&mut left, &mut right]
        } else {
            [&mut right, &mut left]
        };
        for place in places {
            *place = Some(subtree(levels - 1, left_first, nodes));
        }
    }
    *nodes += 1;
    let value = *nodes;
    Box::new(Node { value, left, right })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(node: &Node) -> u64 {
        let children = [&node.left, &node.right].into_iter().flatten();
        node.value + children.map(|child| sum(child)).sum::<u64>()
    }

    #[test]
    fn every_layout_has_the_same_sum() {
        for layout in [
            Layout::Levels,
            Layout::LevelsMirrored,
            Layout::ChildrenFirst,
            Layout::ChildrenFirstMirrored,
        ] {
            let tree = layout.build(1023);
            assert_eq!((tree.nodes, tree.sum), (1023, 1023 * 512), "{layout:?}");
            assert_eq!(sum(&tree.root), tree.sum, "{layout:?}");
        }
    }

    #[test]
    fn a_mirrored_layout_begins_on_the_right() {
        let first = |layout: Layout| {
            let root = layout.build(3).root;
            [root.left, root.right].map(|node| node.map_or(0, |node| node.value))
        };
        assert_eq!(first(Layout::Levels), [2, 3]);
        assert_eq!(first(Layout::LevelsMirrored), [3, 2]);
        assert_eq!(first(Layout::ChildrenFirst), [1, 2]);
        assert_eq!(first(Layout::ChildrenFirstMirrored), [2, 1]);
    }
}
