//! Control flow: the order of blocks.

use crate::opcode::Opcode;
use crate::program::{Body, Label, Operand};

/// The control flow of a function: which blocks may follow which. The function starts at the first block.
#[derive(Clone, Debug)]
pub struct Cfg {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<Vec<usize>>,
}

/// A natural loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The block through which it is entered.
    pub head: usize,
    /// The blocks that lead back to it.
    pub latches: Vec<usize>,
    /// All of its blocks, in the order of the text.
    pub blocks: Vec<usize>,
}

impl Cfg {
    /// The control flow of a function.
    #[must_use]
    pub fn new(body: &Body) -> Self {
        let mut starts = vec![None; body.labels.len()];
        for (n, block) in body.blocks.iter().enumerate() {
            if let Some(label) = block.label {
                starts[label.0 as usize] = Some(n);
            }
        }
        let start = |label: &Label| starts[label.0 as usize];
        let mut cfg =
            Self { successors: vec![Vec::new(); body.blocks.len()], predecessors: vec![Vec::new(); body.blocks.len()] };
        for (n, block) in body.blocks.iter().enumerate() {
            let mut all: Vec<usize> = Vec::new();
            let mut falls_through = true;
            for one in &block.instructions {
                falls_through &= !one.leaves();
                match (one.opcode, one.operands.last()) {
                    (Opcode::Bra, Some(Operand::Label(label))) => all.extend(start(label)),
                    (Opcode::Brx, Some(Operand::Table(table))) => {
                        all.extend(body.tables[*table].targets.iter().filter_map(start));
                    }
                    _ => {}
                }
            }
            if falls_through && n + 1 < body.blocks.len() {
                all.push(n + 1);
            }
            all.sort_unstable();
            all.dedup();
            for &to in &all {
                cfg.predecessors[to].push(n);
            }
            cfg.successors[n] = all;
        }
        cfg
    }

    /// The blocks that may follow a block, in the order of the text.
    #[must_use]
    pub fn successors(&self, block: usize) -> &[usize] {
        &self.successors[block]
    }

    /// The blocks that a block may follow, in the order of the text.
    #[must_use]
    pub fn predecessors(&self, block: usize) -> &[usize] {
        &self.predecessors[block]
    }

    /// The blocks in reverse postorder: each before its successors, except along back edges. Unreachable blocks are
    /// left out.
    #[must_use]
    pub fn reverse_postorder(&self) -> Vec<usize> {
        if self.successors.is_empty() { Vec::new() } else { reverse_postorder(0, &self.successors) }
    }

    /// The immediate dominator of each block: the last block that each path to it passes. The first block and
    /// unreachable blocks have none.
    #[must_use]
    pub fn dominators(&self) -> Vec<Option<usize>> {
        let order = self.reverse_postorder();
        immediate_dominators(&order, &self.predecessors)
    }

    /// The immediate postdominator of each block: the first block that each path from it to an end passes. `None` if
    /// its paths end in different blocks or nowhere.
    #[must_use]
    pub fn postdominators(&self) -> Vec<Option<usize>> {
        let end = self.successors.len();
        let mut after: Vec<Vec<usize>> = self.successors.clone();
        after.iter_mut().filter(|all| all.is_empty()).for_each(|all| all.push(end));
        after.push(Vec::new());
        immediate_postdominators(&after)
    }

    /// The natural loops, by the positions of their heads: edges that lead back to a block that dominates their start.
    /// Loops with the same head are one.
    #[must_use]
    pub fn loops(&self) -> Vec<Loop> {
        let dominators = self.dominators();
        let dominates = |one: usize, mut other: usize| loop {
            if one == other {
                return true;
            }
            match dominators[other] {
                Some(next) => other = next,
                None => return false,
            }
        };
        let mut loops: Vec<Loop> = Vec::new();
        for head in 0..self.successors.len() {
            let is_reached = |block: usize| block == 0 || dominators[block].is_some();
            let latches: Vec<usize> = self.predecessors[head]
                .iter()
                .copied()
                .filter(|&latch| is_reached(latch) && dominates(head, latch))
                .collect();
            if latches.is_empty() {
                continue;
            }
            let mut inside = vec![head];
            let mut open = latches.clone();
            while let Some(block) = open.pop() {
                if !inside.contains(&block) {
                    inside.push(block);
                    open.extend(self.predecessors[block].iter().copied().filter(|&block| is_reached(block)));
                }
            }
            inside.sort_unstable();
            loops.push(Loop { head, latches, blocks: inside });
        }
        loops
    }
}

/// The nodes that are reached from the first one, in reverse postorder.
fn reverse_postorder(first: usize, after: &[Vec<usize>]) -> Vec<usize> {
    let mut order = Vec::with_capacity(after.len());
    let mut is_seen = vec![false; after.len()];
    is_seen[first] = true;
    // Nodes on the path, each with the number of its followed edges.
    let mut way = vec![(first, 0)];
    while let Some((node, followed)) = way.last_mut() {
        match after[*node].get(*followed) {
            Some(&next) => {
                *followed += 1;
                if !std::mem::replace(&mut is_seen[next], true) {
                    way.push((next, 0));
                }
            }
            None => {
                order.push(*node);
                way.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The immediate postdominators of all nodes but the last one, which is an exit that all ends lead to: dominators in the
/// reversed graph.
pub(crate) fn immediate_postdominators(after: &[Vec<usize>]) -> Vec<Option<usize>> {
    let end = after.len() - 1;
    let mut before = vec![Vec::new(); after.len()];
    for (from, all) in after.iter().enumerate() {
        all.iter().for_each(|&to| before[to].push(from));
    }
    let all = immediate_dominators(&reverse_postorder(end, &before), after);
    all.into_iter().take(end).map(|one| one.filter(|&one| one != end)).collect()
}

/// Immediate dominators, by Cooper, Harvey and Kennedy's iteration over blocks in reverse postorder.
fn immediate_dominators(order: &[usize], predecessors: &[Vec<usize>]) -> Vec<Option<usize>> {
    let mut place = vec![usize::MAX; predecessors.len()];
    order.iter().enumerate().for_each(|(n, &block)| place[block] = n);
    // By positions in the order.
    let mut above: Vec<usize> = vec![usize::MAX; order.len()];
    if let Some(first) = above.first_mut() {
        *first = 0;
    }
    let mut is_changed = true;
    while std::mem::take(&mut is_changed) {
        for (n, &block) in order.iter().enumerate().skip(1) {
            let mut found = usize::MAX;
            for &from in &predecessors[block] {
                let from = place[from];
                if from == usize::MAX || above[from] == usize::MAX {
                    continue;
                }
                found = if found == usize::MAX {
                    from
                } else {
                    let (mut one, mut other) = (found, from);
                    while one != other {
                        while one > other {
                            one = above[one];
                        }
                        while other > one {
                            other = above[other];
                        }
                    }
                    one
                };
            }
            if above[n] != found {
                above[n] = found;
                is_changed = true;
            }
        }
    }
    let mut all = vec![None; predecessors.len()];
    for (n, &block) in order.iter().enumerate().skip(1) {
        all[block] = Some(order[above[n]]);
    }
    all
}
