//! Loops of one block: their assignments, and their entries.

use ikra_ptx::{Instruction, Opcode, Operand, Register};

use super::values::Values;

/// A loop of one block. The previous block falls through into it, and only its own last jump leads back.
#[derive(Clone, Copy)]
pub(super) struct Row<'v, 'b> {
    pub(super) values: &'v Values<'b>,
    pub(super) block: usize,
}

/// The loops of a function that call nothing and end nowhere else.
pub(super) fn rows<'v, 'b>(values: &'v Values<'b>) -> impl Iterator<Item = Row<'v, 'b>> {
    let body = values.body;
    (1..body.blocks.len()).map(move |block| Row { values, block }).filter(move |row| {
        let block = &body.blocks[row.block];
        let [inside @ .., last] = &block.instructions[..] else { return false };
        let jumps_back = last.guard.is_some()
            && last.opcode == Opcode::Bra
            && matches!(last.operands[..], [Operand::Label(label)] if block.label == Some(label));
        let ends = [Opcode::Call, Opcode::Ret, Opcode::Exit, Opcode::Trap];
        // A jump table with the label is an edge, too, and so is a jump of the previous block.
        jumps_back
            && values.cfg.predecessors(row.block) == [row.block - 1, row.block]
            && !body.blocks[row.block - 1].instructions.last().is_some_and(|before| leads_to(before, row))
            && !inside.iter().any(|one| ends.contains(&one.opcode))
    })
}

/// Whether a jump names the block, or may.
fn leads_to(one: &Instruction, row: &Row<'_, '_>) -> bool {
    let body = row.values.body;
    let label = body.blocks[row.block].label;
    one.leaves()
        || one.operands.iter().any(|operand| match operand {
            Operand::Label(target) => Some(*target) == label,
            Operand::Table(table) => body.tables[*table].targets.iter().any(|target| Some(*target) == label),
            _ => false,
        })
}

impl<'b> Row<'_, 'b> {
    /// Its instructions except the jump, each with its position.
    pub(super) fn inside(&self) -> impl Iterator<Item = (usize, &'b Instruction)> + use<'b> {
        let all = &self.values.body.blocks[self.block].instructions;
        all[..all.len() - 1].iter().enumerate()
    }

    /// The positions that assign a register.
    pub(super) fn assigned(&self, register: Register) -> impl Iterator<Item = usize> {
        self.values.uses.writes(register).iter().filter(|at| at.block == self.block).map(|at| at.index)
    }

    /// The position where a register gets its value in each iteration, if there is just one.
    pub(super) fn only(&self, register: Register) -> Option<(usize, &'b Instruction)> {
        let mut places = self.assigned(register);
        let index = places.next().filter(|_| places.next().is_none())?;
        let one = &self.values.body.blocks[self.block].instructions[index];
        one.guard.is_none().then_some((index, one))
    }

    pub(super) fn is_fixed(&self, register: Register) -> bool {
        self.assigned(register).next().is_none()
    }
}
