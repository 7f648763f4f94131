//! The order of blocks: after both sides of a branch comes the block where they meet, and after a loop the block that
//! follows it.
//!
//! Of the lanes of a warp, those that are furthest behind in this order execute first; so they meet again as early as
//! they can.

/// The reachable blocks: strongly connected components in topological order. Each component begins with its head, and
/// the rest of it is ordered in the same way.
pub(super) fn order(successors: &[Vec<usize>]) -> Vec<usize> {
    let all = (0..successors.len()).collect::<Vec<_>>();
    let mut inside = vec![0; successors.len()];
    let mut out = Vec::with_capacity(successors.len());
    arrange(successors, &all, 0, &mut inside, 0, &mut out);
    out
}

/// Arranges nodes whose mark is `level`, from an entry on.
fn arrange(
    successors: &[Vec<usize>],
    nodes: &[usize],
    entry: usize,
    inside: &mut [usize],
    level: usize,
    out: &mut Vec<usize>,
) {
    let components = components(successors, nodes, entry, inside, level);
    for component in components {
        let head = if component.contains(&entry) {
            entry
        } else {
            // The first in the order of the text that is entered from outside; the search starts there.
            component[component.len() - 1]
        };
        let loops = component.len() > 1;
        out.push(head);
        if loops {
            let rest = component.iter().copied().filter(|&node| node != head).collect::<Vec<_>>();
            // Without the head, the loop falls apart into smaller components, each entered from the head.
            for &node in &rest {
                inside[node] = level + 1;
            }
            inside[head] = usize::MAX;
            let mut left = rest;
            while let Some(&first) = left.iter().find(|&&n| successors[head].contains(&n)).or(left.first()) {
                let before = out.len();
                arrange(successors, &left, first, inside, level + 1, out);
                let placed = out[before..].to_vec();
                // The arranged part must come before the rest, unless an edge leads from it there.
                left.retain(|node| !placed.contains(node));
                for &node in &placed {
                    inside[node] = usize::MAX;
                }
            }
        }
    }
}

/// Strongly connected components of the nodes reachable from the entry, in topological order (Tarjan).
fn components(
    successors: &[Vec<usize>],
    nodes: &[usize],
    entry: usize,
    inside: &[usize],
    level: usize,
) -> Vec<Vec<usize>> {
    let mut index = vec![usize::MAX; successors.len()];
    let mut low = vec![0; successors.len()];
    let mut on_stack = vec![false; successors.len()];
    let (mut stack, mut found, mut next) = (Vec::new(), Vec::new(), 0);
    let mut way: Vec<(usize, usize)> = Vec::new();
    // From the other nodes too, which perhaps only the head of the outer loop leads to.
    let starts = nodes.iter().copied().filter(|_| level > 0);
    for start in std::iter::once(entry).chain(starts) {
        if index[start] != usize::MAX {
            continue;
        }
        way.push((start, 0));
        while let Some(&mut (node, ref mut followed)) = way.last_mut() {
            if *followed == 0 {
                index[node] = next;
                low[node] = next;
                next += 1;
                stack.push(node);
                on_stack[node] = true;
            }
            // Later blocks first, so that earlier ones end up in front.
            let all = &successors[node];
            if let Some(&to) = all.len().checked_sub(*followed + 1).and_then(|n| all.get(n)) {
                *followed += 1;
                if inside[to] != level {
                    continue;
                }
                if index[to] == usize::MAX {
                    way.push((to, 0));
                } else if on_stack[to] {
                    low[node] = low[node].min(index[to]);
                }
            } else {
                // Marks a node without successors as seen, too.
                way.pop();
                if let Some(&(from, _)) = way.last() {
                    low[from] = low[from].min(low[node]);
                }
                if low[node] == index[node] {
                    let mut component = Vec::new();
                    while let Some(one) = stack.pop() {
                        on_stack[one] = false;
                        component.push(one);
                        if one == node {
                            break;
                        }
                    }
                    found.push(component);
                }
            }
        }
    }
    found.reverse();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn branches_meet_after_both_sides() {
        // 0 → 1 | 3; 1 → 2; 3 → 2: the text has the meeting block in between.
        let order = order(&[vec![1, 3], vec![2], vec![], vec![2]]);
        assert_eq!(order.last(), Some(&2));
        assert_eq!(order.len(), 4);
    }

    #[test]
    fn loops_stay_together() {
        // 0 → 1; 1 → 2 (out) | 3; 3 → 1: the exit stands in the middle of the text.
        assert_eq!(order(&[vec![1], vec![2, 3], vec![], vec![1]]), [0, 1, 3, 2]);
        // Two loops, one in the other.
        let nested = order(&[vec![1], vec![2], vec![2, 3], vec![1, 4], vec![]]);
        assert_eq!(nested, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn blocks_that_are_not_reached_are_left_out() {
        assert_eq!(order(&[vec![2], vec![2], vec![]]), [0, 2]);
        assert_eq!(order(&[vec![0]]), [0]);
    }

    #[test]
    fn several_ways_into_a_loop_are_no_problem() {
        let mut blocks = order(&[vec![1, 2], vec![2], vec![1, 3], vec![]]);
        assert_eq!(blocks.last(), Some(&3));
        blocks.sort_unstable();
        assert_eq!(blocks, [0, 1, 2, 3]);
    }
}
