//! A tree of boxes around shapes: each box is split in half at the middle of its longest edge, recursively.

use crate::model::Vector;
use crate::scene::Bounds;

/// A box.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Node {
    /// The box around all its contents.
    pub(crate) bounds: Bounds,
    /// Its shape, if it contains only one.
    pub(crate) leaf: Option<usize>,
    /// The node that follows its descendants.
    pub(crate) after: usize,
}

/// The nodes of a tree that has these boxes as leaves, parents before children.
pub(crate) fn build(boxes: &[(usize, Bounds)]) -> Vec<Node> {
    let mut nodes = Vec::with_capacity(2 * boxes.len());
    let mut boxes = boxes.to_vec();
    if !boxes.is_empty() {
        add(&mut nodes, &mut boxes);
    }
    nodes
}

fn add(nodes: &mut Vec<Node>, boxes: &mut [(usize, Bounds)]) {
    let bounds = boxes.iter().fold(Bounds::NONE, |all, (_, bounds)| all.and(*bounds));
    let place = nodes.len();
    nodes.push(Node { bounds, leaf: None, after: 0 });
    if let [(one, _)] = boxes {
        nodes[place].leaf = Some(*one);
    } else {
        let middles = boxes.iter().map(|(_, bounds)| bounds.middle());
        let middles = middles.fold(Bounds::NONE, |all, at| all.and(Bounds { low: at, high: at }));
        let size = middles.high - middles.low;
        let axis: fn(Vector) -> f32 = if size.x >= size.y && size.x >= size.z {
            |at| at.x
        } else if size.y >= size.z {
            |at| at.y
        } else {
            |at| at.z
        };
        let half = boxes.len() / 2;
        boxes.select_nth_unstable_by(half, |(one, a), (other, b)| {
            axis(a.middle()).total_cmp(&axis(b.middle())).then(one.cmp(other))
        });
        let (left, right) = boxes.split_at_mut(half);
        add(nodes, left);
        add(nodes, right);
    }
    nodes[place].after = nodes.len();
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_in(inner: Bounds, outer: Bounds) -> bool {
        outer.and(inner) == outer
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn each_is_in_one_leaf_and_in_all_boxes_around_it(
            corners in prop::collection::vec(prop::array::uniform3(-10_i8..10), 0..60)
        ) {
            let boxes: Vec<_> = corners.iter().map(|&[x, y, z]| {
                let low = Vector::new(x.into(), y.into(), z.into());
                Bounds { low, high: low + Vector::all(3.0) }
            }).enumerate().collect();
            let nodes = build(&boxes);
            let mut leaves: Vec<_> = nodes.iter().filter_map(|node| node.leaf).collect();
            leaves.sort_unstable();
            prop_assert!(leaves.into_iter().eq(0..boxes.len()));
            prop_assert_eq!(nodes.len(), (2 * boxes.len()).saturating_sub(1));
            for (n, node) in nodes.iter().enumerate() {
                prop_assert!(n < node.after && node.after <= nodes.len());
                for inner in &nodes[n..node.after] {
                    prop_assert!(is_in(inner.bounds, node.bounds) && inner.after <= node.after);
                    prop_assert!(inner.leaf.is_none_or(|leaf| is_in(boxes[leaf].1, node.bounds)));
                }
            }
        }
    }
}
