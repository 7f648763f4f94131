//! Values that depend on uninitialised bytes.
//!
//! Loading such bytes is allowed: compilers copy padding, and the payload of an enum that has none. So registers
//! remember, lane by lane, whether their value depends on such bytes. It is a fault if a branch, an address or an
//! atomic operation does. Memory that is stored from such a register counts as uninitialised.

use ikra_ptx::{Instruction, Opcode, Operand, Type};

use crate::{
    compute::Condition,
    registers::{Registers, Source, lanes},
};

/// The dependence of a result on operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rule {
    /// On all of them.
    All,
    /// On two operands; if one is 0, the other does not matter.
    And,
    /// On two predicates; if one is true, the other does not matter.
    Or,
    /// On the condition, and on the selected operand.
    Select,
}

/// The registers that an instruction reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Flow {
    pub(crate) to: Vec<u32>,
    pub(crate) from: Vec<u32>,
    rule: Option<Rule>,
    /// The rows are predicates.
    predicates: bool,
}

impl Flow {
    /// The flow of an instruction that only reads and writes registers.
    pub(crate) fn of(one: &Instruction, first: u32) -> Self {
        fn rows(operand: &Operand, first: u32, to: &mut Vec<u32>) {
            match operand {
                Operand::Register(register) | Operand::Not(register) => to.push(first + register.0),
                Operand::Pair(a, b) => to.extend([a, b].into_iter().flatten().map(|register| first + register.0)),
                Operand::Vector(all) => all.iter().for_each(|one| rows(one, first, to)),
                _ => {}
            }
        }
        let mut flow = Self::default();
        one.destinations().iter().for_each(|operand| rows(operand, first, &mut flow.to));
        one.sources().iter().for_each(|operand| rows(operand, first, &mut flow.from));
        flow.predicates = one.ty() == Some(Type::Pred);
        let plain = flow.from.len() == one.sources().len();
        flow.rule = Some(match one.opcode {
            Opcode::And if plain => Rule::And,
            Opcode::Or if plain && flow.predicates => Rule::Or,
            Opcode::Selp if plain => Rule::Select,
            _ => Rule::All,
        });
        flow
    }

    /// A flow from rows to rows, one to one.
    pub(crate) const fn between(from: Vec<u32>, to: Vec<u32>) -> Self {
        Self { to, from, rule: Some(Rule::All), predicates: false }
    }

    /// Notes the lanes whose results depend on uninitialised bytes. Called before the instruction.
    pub(crate) fn spread(&self, registers: &mut Registers, active: u32) {
        let of = |row: u32| registers.poison(row);
        let zeros = |row: u32| {
            if self.predicates {
                return !registers.mask(row);
            }
            let values = registers.get(Source::Row(row));
            lanes(active).filter(|&lane| values[lane] == 0).fold(0, |zeros, lane| zeros | 1 << lane)
        };
        let poison = match (self.rule, &self.from[..]) {
            (Some(Rule::And), &[a, b]) => {
                let (pa, pb) = (of(a), of(b));
                (pa | pb) & !(zeros(a) & !pa) & !(zeros(b) & !pb)
            }
            (Some(Rule::Or), &[a, b]) => {
                let (pa, pb) = (of(a), of(b));
                (pa | pb) & !(registers.mask(a) & !pa) & !(registers.mask(b) & !pb)
            }
            (Some(Rule::Select), &[a, b, p]) => {
                let chosen = registers.mask(p);
                of(p) | of(a) & chosen | of(b) & !chosen
            }
            _ => self.from.iter().fold(0, |all, &row| all | of(row)),
        };
        for &to in &self.to {
            registers.set_poison(to, active, poison);
        }
    }
}

impl Registers {
    /// The lanes of a condition that depend on uninitialised bytes.
    pub(crate) fn condition_poison(&self, condition: Condition) -> u32 {
        match condition {
            Condition::Constant(_) => 0,
            Condition::Predicate { row, .. } => self.poison(row),
        }
    }

    /// The same for an operand.
    pub(crate) fn source_poison(&self, source: Source) -> u32 {
        match source {
            Source::Row(row) => self.poison(row),
            Source::Constant(_) | Source::Special(_) => 0,
        }
    }
}
