//! Changes of a function, collected while the pass reads it and applied together.

use std::collections::{BTreeMap, BTreeSet};

use ikra_ptx::{Access, Block, Body, Instruction, Modifier, Opcode, Position, Register, Uses};

/// Instructions that replace others.
#[derive(Default)]
pub(super) struct Edits {
    /// The replacement of an instruction.
    replaced: BTreeMap<Position, Vec<Instruction>>,
    /// The instructions before and after an instruction.
    before: BTreeMap<Position, Vec<Instruction>>,
    behind: BTreeMap<Position, Vec<Instruction>>,
    /// Instructions on the edge from the previous block into a block, and on no other edge.
    entering: BTreeMap<usize, Vec<Instruction>>,
}

impl Edits {
    pub(super) fn replace(&mut self, at: Position, by: Vec<Instruction>) {
        self.replaced.insert(at, by);
    }

    pub(super) fn before(&mut self, at: Position, new: impl IntoIterator<Item = Instruction>) {
        self.before.entry(at).or_default().extend(new);
    }

    pub(super) fn behind(&mut self, at: Position, new: impl IntoIterator<Item = Instruction>) {
        self.behind.entry(at).or_default().extend(new);
    }

    /// For a block that the previous one falls into.
    pub(super) fn entering(&mut self, block: usize, new: impl IntoIterator<Item = Instruction>) {
        self.entering.entry(block).or_default().extend(new);
    }

    /// Applies the changes.
    pub(super) fn make(mut self, body: &mut Body) {
        let mut blocks: Vec<Block> = Vec::with_capacity(body.blocks.len());
        for (n, mut block) in std::mem::take(&mut body.blocks).into_iter().enumerate() {
            if let Some(new) = self.entering.remove(&n) {
                match blocks.last_mut() {
                    Some(last) if !last.instructions.last().is_some_and(Instruction::ends_block) => {
                        last.instructions.extend(new);
                    }
                    // The previous block ends with a jump that is not taken.
                    _ => blocks.push(Block { instructions: new, ..Block::default() }),
                }
            }
            let changes = |edits: &BTreeMap<Position, Vec<Instruction>>| {
                edits.range(Position { block: n, index: 0 }..Position { block: n + 1, index: 0 }).next().is_some()
            };
            if changes(&self.replaced) || changes(&self.before) || changes(&self.behind) {
                let mut instructions = Vec::with_capacity(block.instructions.len() + 8);
                for (index, one) in block.instructions.into_iter().enumerate() {
                    let at = Position { block: n, index };
                    instructions.extend(self.before.remove(&at).into_iter().flatten());
                    match self.replaced.remove(&at) {
                        Some(by) => instructions.extend(by),
                        None => instructions.push(one),
                    }
                    instructions.extend(self.behind.remove(&at).into_iter().flatten());
                }
                block.instructions = instructions;
            }
            blocks.push(block);
        }
        body.blocks = blocks;
    }
}

/// Inserts instructions at the start of a function, once.
pub(super) fn begin_with(body: &mut Body, new: Vec<Instruction>) {
    match body.blocks.first_mut() {
        // No edge leads there.
        Some(first) if first.label.is_none() => drop(first.instructions.splice(0..0, new)),
        _ => body.blocks.insert(0, Block { instructions: new, ..Block::default() }),
    }
}

/// Removes instructions that compute addresses and numbers without uses: of these registers, and of their operands.
pub(super) fn remove_unread(body: &mut Body, mut registers: Vec<Register>) {
    let mut removed: BTreeSet<Position> = BTreeSet::new();
    {
        let uses = Uses::new(body);
        while let Some(register) = registers.pop() {
            let is_unread = uses.reads(register).iter().all(|at| removed.contains(at));
            let Some(at) = uses.definition(register).filter(|at| is_unread && !removed.contains(at)) else { continue };
            let one = body.at(at);
            let is_constant = one.opcode == Opcode::Ld && one.space() == Some(Modifier::Const);
            if one.destination() == Some(register)
                && (is_constant || matches!(one.opcode, Opcode::Mov | Opcode::Add | Opcode::Cvta))
            {
                removed.insert(at);
                registers.extend(read_by([one]));
            }
        }
    }
    let mut edits = Edits::default();
    removed.into_iter().for_each(|at| edits.replace(at, Vec::new()));
    edits.make(body);
}

/// The registers that instructions read.
pub(super) fn read_by<'b>(all: impl IntoIterator<Item = &'b Instruction>) -> Vec<Register> {
    let mut registers = Vec::new();
    for one in all {
        one.for_each_register(|register, access| registers.extend((access == Access::Read).then_some(register)));
    }
    registers
}
