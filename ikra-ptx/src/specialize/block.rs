//! The evaluation of one version of a block.

use super::{
    data::Data,
    facts::{Facts, holds},
    fold::{Folded, Folder},
    value::{State, Value, copy, immediate, moved},
};
use crate::{Guard, Instruction, Modifier as M, Opcode as O, Operand, Register, Type, program::Base};

/// What a version does at its end.
#[derive(Clone, Debug)]
pub(super) enum Leave<E> {
    /// Its last instruction leaves the kernel.
    End,
    /// It goes on elsewhere.
    To(E),
    /// A branch, which is the instruction without its label; and the way if it is not taken.
    Either(Instruction, E, E),
    /// A jump by a table.
    Table(Instruction, Vec<E>),
}

/// A way out of a version: the block, and the known values that are in no register yet.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) block: usize,
    pub(super) state: State,
    pub(super) pending: Vec<(Register, Value)>,
}

/// Numbers of what was done.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Tally {
    pub(super) loads: usize,
    pub(super) bytes: usize,
    pub(super) branches: usize,
}

/// An evaluated version.
#[derive(Clone, Debug)]
pub(super) struct Evaluated<E> {
    pub(super) code: Vec<Instruction>,
    pub(super) leave: Leave<E>,
    pub(super) tally: Tally,
    /// Whether the jump at its end was decided, though the block has several.
    pub(super) is_decided: bool,
}

/// Evaluates blocks, one after the other.
pub(super) struct Blocks<'f, 'b, 'd> {
    facts: &'f Facts<'b>,
    pub(super) data: &'f Data<'d>,
    /// The known registers, each with whether it has its value in the new program, too.
    known: Vec<Option<(Value, bool)>>,
    touched: Vec<Register>,
    code: Vec<Instruction>,
    /// Instructions evaluated so far.
    pub(super) steps: usize,
}

impl<'f, 'b, 'd> Blocks<'f, 'b, 'd> {
    pub(super) fn new(facts: &'f Facts<'b>, data: &'f Data<'d>) -> Self {
        let known = vec![None; facts.body.registers.len()];
        Self { facts, data, known, touched: Vec::new(), code: Vec::new(), steps: 0 }
    }

    fn set(&mut self, register: Register, value: Option<Value>) {
        let place = &mut self.known[register.0 as usize];
        if place.is_none() && value.is_some() {
            self.touched.push(register);
        }
        *place = value.map(|value| (value, false));
    }

    /// Evaluates a block from a state on; or the reason why the kernel cannot be specialised.
    pub(super) fn evaluate(&mut self, block: usize, state: &State) -> Result<Evaluated<Way>, String> {
        for register in self.touched.drain(..) {
            self.known[register.0 as usize] = None;
        }
        for &(register, value) in state.iter() {
            self.set(register, Some(value));
        }
        self.code = Vec::new();
        let mut tally = Tally::default();
        let body = self.facts.body;
        self.steps += 1;
        for one in &body.blocks[block].instructions {
            self.steps += 1;
            let mut one = one.clone();
            if let Some(guard) = one.guard
                && let Some((Value::Bits(bits), _)) = self.known[guard.register.0 as usize]
            {
                if (bits & 1 == 1) == guard.is_negated {
                    tally.branches += usize::from(one.opcode == O::Bra);
                    continue;
                }
                tally.branches += usize::from(one.opcode == O::Bra);
                one.guard = None;
            }
            match one.opcode {
                O::Bra | O::Brx => {
                    let (leave, is_folded) = self.jump(block, one)?;
                    tally.branches += usize::from(is_folded);
                    let is_decided = !matches!(leave, Leave::Either(..) | Leave::Table(..));
                    return Ok(self.finished(leave, tally, is_decided));
                }
                _ if one.leaves() => {
                    self.code.push(one);
                    return Ok(self.finished(Leave::End, tally, true));
                }
                _ => self.instruction(one, &mut tally)?,
            }
        }
        let leave = if block + 1 < body.blocks.len() { Leave::To(self.way(block + 1)) } else { Leave::End };
        Ok(self.finished(leave, tally, true))
    }

    fn finished(&mut self, leave: Leave<Way>, tally: Tally, is_decided: bool) -> Evaluated<Way> {
        Evaluated { code: std::mem::take(&mut self.code), leave, tally, is_decided }
    }

    /// The way to a block from here.
    fn way(&self, block: usize) -> Way {
        let mut state = Vec::new();
        let mut pending = Vec::new();
        for &register in &self.facts.needed[block] {
            if let Some((value, is_there)) = self.known[register.0 as usize] {
                state.push((register, value));
                if !is_there {
                    pending.push((register, value));
                }
            }
        }
        Way { block, state: state.into(), pending }
    }

    fn jump(&mut self, block: usize, mut one: Instruction) -> Result<(Leave<Way>, bool), String> {
        let start = |label: &crate::Label| {
            self.facts.starts[label.0 as usize].ok_or_else(|| String::from("a jump to a label that is nowhere"))
        };
        match &one.operands[..] {
            [Operand::Label(label)] => {
                let to = self.way(start(label)?);
                if one.guard.is_none() {
                    return Ok((Leave::To(to), false));
                }
                if block + 1 == self.facts.body.blocks.len() {
                    return Err(String::from("the last instruction does not leave the kernel"));
                }
                let other = self.way(block + 1);
                Ok((if to.block == other.block { Leave::To(to) } else { Leave::Either(one, to, other) }, false))
            }
            [Operand::Register(index), Operand::Table(table)] if one.guard.is_none() => {
                let index = *index;
                let targets = &self.facts.body.tables[*table].targets;
                if let Some((Value::Bits(bits), _)) = self.known[index.0 as usize]
                    && let Some(label) = usize::try_from(bits).ok().and_then(|n| targets.get(n))
                {
                    return Ok((Leave::To(self.way(start(label)?)), true));
                }
                let targets = targets.iter().map(start).collect::<Result<Vec<_>, _>>()?;
                self.place(index);
                one.operands.truncate(1);
                let ways = targets.into_iter().map(|to| self.way(to)).collect();
                Ok((Leave::Table(one, ways), false))
            }
            _ => Err(format!("`{}` is not understood", super::shown(&one, self.facts.body))),
        }
    }

    /// Evaluates an instruction that does not end the version.
    fn instruction(&mut self, one: Instruction, tally: &mut Tally) -> Result<(), String> {
        let folder = Folder { body: self.facts.body, known: &self.known, data: self.data };
        let is_load = matches!(one.opcode, O::Ld | O::Ldu);
        match folder.fold(&one) {
            Folded::Known(results) if one.guard.is_none() => {
                if results.iter().all(|&(register, _)| holds(self.facts.body, register)) {
                    if is_load && one.space() != Some(M::Param) {
                        tally.loads += 1;
                        tally.bytes += one.ty().map_or(0, Type::bytes) as usize * one.vector();
                    }
                    for (register, value) in results {
                        // A value that a register has already stays in it.
                        let is_same = self.known[register.0 as usize].is_some_and(|(old, _)| old == value);
                        if !is_same {
                            self.set(register, Some(value));
                        }
                    }
                    return Ok(());
                }
                self.dynamic(one)
            }
            Folded::Known(results) => {
                // Under a guard that is not known: the result, or the old value.
                if results
                    .iter()
                    .all(|&(register, value)| self.known[register.0 as usize].is_some_and(|(old, _)| old == value))
                {
                    return Ok(());
                }
                let mut one = one;
                if let [(register, Value::Bits(bits))] = results[..]
                    && let ty = moved(self.facts.body.ty(register))
                    && let Some(number) = immediate(bits, ty)
                    && one.destination() == Some(register)
                {
                    let mut new = copy(register, ty, number);
                    new.guard = one.guard;
                    new.line = one.line;
                    new.location = one.location.take();
                    one = new;
                }
                self.dynamic(one)
            }
            Folded::Simpler(one) => {
                // It may be known in the simpler form, or copy a register to itself.
                if one.opcode == O::Mov && one.operands.first() == one.operands.get(1) {
                    return Ok(());
                }
                self.dynamic(one)
            }
            Folded::No => self.dynamic(one),
        }
    }

    /// Keeps an instruction, with constants for known registers.
    fn dynamic(&mut self, mut one: Instruction) -> Result<(), String> {
        self.check_store(&one)?;
        if let Some(guard) = one.guard {
            self.place(guard.register);
        }
        let is_guarded = one.guard.is_some();
        let first = one.destination_count();
        for n in first..one.operands.len() {
            let mut operand = std::mem::replace(&mut one.operands[n], Operand::Nothing);
            match &operand {
                Operand::Register(register) => {
                    if let Some((value, is_there)) = self.known[register.0 as usize] {
                        let number = value.bits().filter(|_| !is_there || is_short(&one));
                        match number.and_then(|bits| immediate(bits, operand_type(&one, n - first)?)) {
                            Some(number) => operand = number,
                            None => self.place(*register),
                        }
                    }
                }
                Operand::Memory(Base::Register(register), at) => {
                    let (register, at) = (*register, *at);
                    match self.known[register.0 as usize] {
                        Some((Value::Address(symbol, base), _))
                            if one.space() == Some(self.data.symbols[symbol as usize].space) =>
                        {
                            let name = self.data.symbols[symbol as usize].name.clone();
                            operand = Operand::Memory(Base::Symbol(name), base.wrapping_add(at));
                        }
                        _ => self.place(register),
                    }
                }
                _ => self.place_all(&operand),
            }
            one.operands[n] = operand;
        }
        // An address may be a destination's, and what a guarded instruction leaves must be there before.
        let mut written = Vec::new();
        let mut bases = Vec::new();
        for operand in one.destinations() {
            registers(operand, &mut |register, is_base| {
                if is_base { bases.push(register) } else { written.push(register) }
            });
        }
        bases.into_iter().for_each(|register| self.place(register));
        for &register in &written {
            if is_guarded {
                self.place(register);
            }
        }
        for register in written {
            self.set(register, None);
        }
        self.code.push(one);
        Ok(())
    }

    fn place_all(&mut self, operand: &Operand) {
        let mut all = Vec::new();
        registers(operand, &mut |register, _| all.push(register));
        all.into_iter().for_each(|register| self.place(register));
    }

    /// Puts a known value into its register.
    fn place(&mut self, register: Register) {
        if let Some((value, is_there @ false)) = &mut self.known[register.0 as usize] {
            *is_there = true;
            let value = *value;
            placed(self.facts, self.data, register, value, &mut self.code);
        }
    }

    /// Refuses a write to memory that is said to be constant.
    fn check_store(&self, one: &Instruction) -> Result<(), String> {
        if !matches!(one.opcode, O::St | O::Atom | O::Red) {
            return Ok(());
        }
        let Some((base, offset)) = one.memory() else { return Ok(()) };
        let base = match base {
            Base::Register(register) => self.known[register.0 as usize].map(|(value, _)| value),
            Base::Symbol(name) => self.data.number(name).map(|symbol| Value::Address(symbol, 0)),
            Base::Zero => Some(Value::Bits(0)),
        };
        let bytes = u64::from(one.ty().map_or(8, Type::bytes)) * one.vector() as u64;
        let is_written = match base.map(|base| base.plus(offset.cast_unsigned())) {
            Some(Value::Bits(address)) => {
                matches!(one.space(), None | Some(M::Global)) && self.data.meets(address, bytes)
            }
            Some(Value::Address(symbol, _) | Value::Generic(symbol, _)) => self.data.is_promised(symbol),
            None => false,
        };
        if is_written {
            return Err(format!(
                "`{}` writes to memory that is said to be constant",
                super::shown(one, self.facts.body)
            ));
        }
        Ok(())
    }
}

/// Adds the instructions that put a value into a register.
pub(super) fn placed(
    facts: &Facts<'_>,
    data: &Data<'_>,
    register: Register,
    value: Value,
    code: &mut Vec<Instruction>,
) {
    let ty = moved(facts.body.ty(register));
    let symbol = |number: u32, at: i64| Operand::Symbol(data.symbols[number as usize].name.clone(), at);
    match value {
        Value::Bits(bits) => {
            if let Some(number) = immediate(bits, ty) {
                code.push(copy(register, ty, number));
            }
        }
        Value::Address(number, at) => code.push(copy(register, Type::B64, symbol(number, at))),
        Value::Generic(number, at) => {
            code.push(copy(register, Type::B64, symbol(number, at)));
            let space = data.symbols[number as usize].space;
            code.push(Instruction::new(
                O::Cvta,
                &[space, M::Type(Type::U64)],
                vec![Operand::Register(register), Operand::Register(register)],
            ));
        }
    }
}

/// Shows the registers of an operand, and whether each is the base of an address.
fn registers(operand: &Operand, show: &mut impl FnMut(Register, bool)) {
    match operand {
        Operand::Register(register) | Operand::Not(register) => show(*register, false),
        Operand::Pair(one, other) => [one, other].into_iter().flatten().for_each(|register| show(*register, false)),
        Operand::Vector(all) | Operand::List(all) => all.iter().for_each(|one| registers(one, show)),
        Operand::Memory(Base::Register(register), _) => show(*register, true),
        _ => {}
    }
}

/// Whether a constant is as good as a register that has its value.
fn is_short(one: &Instruction) -> bool {
    one.opcode != O::Mov
}

/// The type of a constant as a source of an instruction, if it may be one there.
fn operand_type(one: &Instruction, n: usize) -> Option<Type> {
    let ty = one.ty()?;
    let wide = || match ty.bits() {
        16 => Some(Type::B32),
        32 => Some(Type::B64),
        _ => None,
    };
    match (one.opcode, n) {
        _ if ty == Type::Pred => None,
        (O::Shl | O::Shr, 1) => Some(Type::U32),
        // Positions and lengths must be less than 256 if they are constants, and need not be in registers.
        (O::Bfe, 1 | 2) | (O::Bfi, 2 | 3) => None,
        (O::Mad, 2) if one.has(M::Wide) => wide(),
        (O::Selp | O::Setp | O::Set, 2) => None,
        (O::Setp | O::Set, _) => one.types().last(),
        (O::St, _) if ty.bits() == 8 => None,
        (
            O::Add
            | O::Addc
            | O::Sub
            | O::Subc
            | O::Mul
            | O::Mad
            | O::Madc
            | O::Div
            | O::Rem
            | O::Min
            | O::Max
            | O::And
            | O::Or
            | O::Xor
            | O::Shl
            | O::Shr
            | O::Fma
            | O::Selp
            | O::Sad
            | O::Lop3
            | O::Shf
            | O::Prmt
            | O::Mov
            | O::St
            | O::Atom
            | O::Red
            | O::Bfe
            | O::Bfi,
            _,
        ) => Some(ty),
        _ => None,
    }
}

/// The guard of a branch, the other way round.
pub(super) fn opposite(guard: Guard) -> Guard {
    Guard { is_negated: !guard.is_negated, ..guard }
}
