//! Facts about a function for passes: where each register gets its value, and which instruction certainly precedes
//! which.

use ikra_ptx::{Body, Cfg, Instruction, Modifier, Opcode, Operand, Position, Register, Type, Uses};

/// The registers and the control flow of a function, at one moment.
///
/// A pass may conclude this. Let `y` be computed from `x`, let each have one [definition](Self::definition), let that
/// of `x` come [before](Self::is_before) that of `y`, and that of `y` before an instruction. Then at this instruction
/// `x` still has the value from which `y` was computed. For if `x` had been assigned again since, a way would lead from
/// there to the instruction that does not pass the definition of `y`.
pub(super) struct Values<'b> {
    pub(super) body: &'b Body,
    pub(super) uses: Uses,
    pub(super) cfg: Cfg,
    /// The position of each block in the tree of dominators: the times of entering and leaving it.
    spans: Vec<Option<(usize, usize)>>,
}

impl<'b> Values<'b> {
    pub(super) fn new(body: &'b Body) -> Self {
        let cfg = Cfg::new(body);
        let spans = spans(&cfg.dominators());
        Self { body, uses: Uses::new(body), cfg, spans }
    }

    /// The only instruction that writes a register, if it always does.
    pub(super) fn definition(&self, register: Register) -> Option<Position> {
        self.uses.definition(register).filter(|&at| self.body.at(at).guard.is_none())
    }

    /// That instruction.
    pub(super) fn made_by(&self, register: Register) -> Option<&'b Instruction> {
        self.definition(register).map(|at| self.body.at(at))
    }

    /// Whether each way to the second instruction passes the first one.
    pub(super) fn is_before(&self, one: Position, other: Position) -> bool {
        if one.block == other.block {
            return one.index < other.index;
        }
        match (self.spans[one.block], self.spans[other.block]) {
            (Some(one), Some(other)) => one.0 <= other.0 && other.1 <= one.1,
            _ => false,
        }
    }

    /// Whether a register has one definition that each way to an instruction passes.
    pub(super) fn is_made_before(&self, register: Register, at: Position) -> bool {
        self.definition(register).is_some_and(|made| self.is_before(made, at))
    }

    /// The number that an operand is, or that the register's only definition moves there.
    pub(super) fn number(&self, operand: &Operand) -> Option<i128> {
        match operand {
            Operand::Integer(number) => Some(*number),
            Operand::Register(register) => {
                let made = self.made_by(*register).filter(|made| made.opcode == Opcode::Mov)?;
                made.sources().first()?.integer()
            }
            _ => None,
        }
    }
}

/// Entering and leaving times of a walk through the tree of dominators. Unreachable blocks have none.
fn spans(dominators: &[Option<usize>]) -> Vec<Option<(usize, usize)>> {
    let mut below: Vec<Vec<usize>> = vec![Vec::new(); dominators.len()];
    for (block, above) in dominators.iter().enumerate() {
        if let Some(above) = above {
            below[*above].push(block);
        }
    }
    let mut spans = vec![None; dominators.len()];
    let (mut time, mut way) = (0, vec![(0, 0)]);
    if dominators.is_empty() {
        return spans;
    }
    spans[0] = Some((0, 0));
    while let Some((block, followed)) = way.last_mut() {
        time += 1;
        if let Some(&next) = below[*block].get(*followed) {
            *followed += 1;
            spans[next] = Some((time, time));
            way.push((next, 0));
        } else {
            if let Some(span) = &mut spans[*block] {
                span.1 = time;
            }
            way.pop();
        }
    }
    spans
}

/// The two operands of a sum of addresses.
pub(super) fn sum(one: &Instruction) -> Option<(Register, &Operand, &Operand)> {
    if one.guard.is_some() || !one.is(Opcode::Add, &[Modifier::Type(Type::S64)]) {
        return None;
    }
    let [Operand::Register(to), a, b] = &one.operands[..] else { return None };
    Some((*to, a, b))
}

/// An instruction that adds two numbers of 64 bits.
pub(super) fn add(to: Register, one: Operand, other: Operand) -> Instruction {
    Instruction::new(Opcode::Add, &[Modifier::Type(Type::S64)], vec![Operand::Register(to), one, other])
}
