//! What is known about a kernel before it is evaluated: control flow, needed registers, loops, and the blocks that
//! must stay one.

use std::collections::HashSet;

use super::live::{self, Set};
use crate::{Access, Body, Cfg, Instruction, Module, Opcode as O, Operand, Register, cfg::immediate_postdominators};

/// A loop.
#[derive(Debug)]
pub(super) struct Loop {
    /// The block through which it is entered.
    pub(super) head: usize,
    /// Whether a block belongs to it.
    pub(super) has: Vec<bool>,
    /// The number of its blocks.
    pub(super) size: usize,
    /// Registers that carry values from one iteration to the next.
    pub(super) carried: Vec<Register>,
}

/// Facts about the body of a kernel.
pub(super) struct Facts<'b> {
    pub(super) body: &'b Body,
    /// The registers that each block needs when it starts, in their order.
    pub(super) needed: Vec<Vec<Register>>,
    /// The first block that each way from a block passes, unless it ends in a trap.
    pub(super) meets: Vec<Option<usize>>,
    /// The natural loops, small ones first.
    pub(super) loops: Vec<Loop>,
    /// Whether a block of a loop may leave it, by loops.
    pub(super) exits: Vec<Vec<bool>>,
    /// Blocks that have one version: see the module's documentation.
    pub(super) is_single: Vec<bool>,
    /// The block of each label.
    pub(super) starts: Vec<Option<usize>>,
}

impl<'b> Facts<'b> {
    pub(super) fn new(module: &Module, body: &'b Body) -> Self {
        let cfg = Cfg::new(body);
        let live = live::live(body, &cfg);
        let meets = meets(body, &cfg);
        let mut starts = vec![None; body.labels.len()];
        for (n, block) in body.blocks.iter().enumerate() {
            if let Some(label) = block.label {
                starts[label.0 as usize] = Some(n);
            }
        }
        let mut loops: Vec<Loop> = cfg.loops().into_iter().map(|one| shape(body, &live, &one)).collect();
        loops.sort_by_key(|one| one.size);
        let exits = loops.iter().map(|one| {
            let leaves = |block: usize| one.has[block] && cfg.successors(block).iter().any(|&to| !one.has[to]);
            (0..body.blocks.len()).map(leaves).collect()
        });
        let exits = exits.collect();
        let is_single = single(module, body, &cfg, &meets);
        let needed = live.iter().map(|set| set.iter().filter(|&register| holds(body, register)).collect()).collect();
        Self { body, needed, meets, loops, exits, is_single, starts }
    }
}

/// Whether a register's value can be known: it has at most 64 bits.
pub(super) fn holds(body: &Body, register: Register) -> bool {
    matches!(body.ty(register).bits(), 1 | 16 | 32 | 64)
}

fn shape(body: &Body, live: &[Set], one: &crate::Loop) -> Loop {
    let mut has = vec![false; body.blocks.len()];
    let mut written = HashSet::new();
    for &block in &one.blocks {
        has[block] = true;
        for instruction in &body.blocks[block].instructions {
            instruction.for_each_register(|register, access| {
                if access == Access::Write && live[one.head].has(register) {
                    written.insert(register);
                }
            });
        }
    }
    let mut carried: Vec<Register> = written.into_iter().collect();
    carried.sort_unstable();
    Loop { head: one.head, has, size: one.blocks.len(), carried }
}

/// The immediate postdominators, on the ways that do not end in a trap.
fn meets(body: &Body, cfg: &Cfg) -> Vec<Option<usize>> {
    let count = body.blocks.len();
    let mut is_open = vec![false; count];
    let mut open = Vec::new();
    for block in 0..count {
        let last = body.blocks[block].instructions.last();
        if cfg.successors(block).is_empty() && last.is_none_or(|one| one.opcode != O::Trap) {
            open.push(block);
            is_open[block] = true;
        }
    }
    while let Some(block) = open.pop() {
        for &from in cfg.predecessors(block) {
            if !std::mem::replace(&mut is_open[from], true) {
                open.push(from);
            }
        }
    }
    let mut after = vec![Vec::new(); count + 1];
    for block in (0..count).filter(|&block| is_open[block]) {
        after[block] = cfg.successors(block).iter().copied().filter(|&to| is_open[to]).collect();
        if after[block].is_empty() {
            after[block].push(count);
        }
    }
    immediate_postdominators(&after)
}

/// The blocks that have one version.
fn single(module: &Module, body: &Body, cfg: &Cfg, meets: &[Option<usize>]) -> Vec<bool> {
    let mut meeting = Meeting { module, known: HashSet::new(), open: Vec::new() };
    let mut is_single: Vec<bool> =
        body.blocks.iter().map(|block| block.instructions.iter().any(|one| meeting.is(one))).collect();
    let mut is_changed = is_single.contains(&true);
    while std::mem::take(&mut is_changed) {
        for block in 0..body.blocks.len() {
            if is_single[block] || cfg.successors(block).len() < 2 {
                continue;
            }
            // The blocks that are executed or not because of the branch at its end.
            let decides = cfg.successors(block).iter().any(|&to| {
                let mut at = Some(to);
                while let Some(now) = at.filter(|&now| Some(now) != meets[block]) {
                    if is_single[now] {
                        return true;
                    }
                    at = meets[now];
                }
                false
            });
            if decides {
                is_single[block] = true;
                is_changed = true;
            }
        }
    }
    is_single
}

/// Finds instructions at which threads meet.
struct Meeting<'m> {
    module: &'m Module,
    /// Functions that have none.
    known: HashSet<&'m str>,
    /// Functions that are being searched.
    open: Vec<&'m str>,
}

impl<'m> Meeting<'m> {
    fn is(&mut self, one: &Instruction) -> bool {
        match one.opcode {
            O::Bar | O::Barrier | O::Shfl | O::Vote | O::Match | O::Redux | O::Elect | O::Activemask => true,
            O::Call => {
                let Some(Operand::Symbol(name, _)) = one.operands.get(1) else { return true };
                self.function(name)
            }
            _ => false,
        }
    }

    fn function(&mut self, name: &str) -> bool {
        let Some(function) = self.module.function(name) else { return false };
        if self.known.contains(name) || self.open.contains(&name) {
            return false;
        }
        self.open.push(&function.name);
        let body = function.body.as_ref();
        let meets = body.is_some_and(|body| body.instructions().any(|(_, one)| self.is(one)));
        self.open.pop();
        if !meets && self.open.is_empty() {
            self.known.insert(&function.name);
        }
        meets
    }
}
