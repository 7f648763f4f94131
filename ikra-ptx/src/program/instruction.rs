//! Instructions and their operands.

use super::{Bits, Label, Location, Register};
use crate::modifier::{Modifier, Type};
use crate::opcode::Opcode;
use crate::special::Special;

/// The predicate under which an instruction is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Guard {
    /// The predicate.
    pub register: Register,
    /// Whether it is executed if the predicate is false.
    pub is_negated: bool,
}

/// An instruction.
#[derive(Clone, Debug, PartialEq)]
pub struct Instruction {
    /// The predicate under which it is executed.
    pub guard: Option<Guard>,
    /// Its operation.
    pub opcode: Opcode,
    /// The modifiers after the name, in their order.
    pub modifiers: Vec<Modifier>,
    /// The operands, in their order: first the [destinations](Self::destinations).
    pub operands: Vec<Operand>,
    /// The line of the text; 0 if it was made later.
    pub line: u32,
    /// The position in the model that it was compiled from.
    pub location: Option<Location>,
}

/// An operand of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// `%r1`
    Register(Register),
    /// `!%p1`
    Not(Register),
    /// `%p1|%p2`, either of which may be `_`.
    Pair(Option<Register>, Option<Register>),
    /// `{%r1, %r2}`
    Vector(Vec<Operand>),
    /// A number.
    Integer(i128),
    /// A floating-point number.
    Float(Bits),
    /// `%tid.x`
    Special(Special),
    /// `[%rd1+8]`
    Memory(Base, i64),
    /// The address of a variable or a function, and a distance in bytes.
    Symbol(String, i64),
    /// The target of a branch.
    Label(Label),
    /// A jump table: an index into [`Body::tables`](super::Body::tables).
    Table(usize),
    /// A prototype: an index into [`Body::prototypes`](super::Body::prototypes).
    Prototype(usize),
    /// `(param0, param1)` of a call.
    List(Vec<Operand>),
    /// `_`: a result that is not read.
    Nothing,
}

/// The base of an address.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Base {
    /// A register.
    Register(Register),
    /// A variable or a parameter.
    Symbol(String),
    /// Zero.
    Zero,
}

/// Whether an instruction reads or writes a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// It reads it.
    Read,
    /// It writes it, all of it.
    Write,
}

impl Instruction {
    /// An instruction that is always executed.
    #[must_use]
    pub fn new(opcode: Opcode, modifiers: &[Modifier], operands: Vec<Operand>) -> Self {
        Self { guard: None, opcode, modifiers: modifiers.to_vec(), operands, line: 0, location: None }
    }

    /// The type that it works on; for a conversion, its result type.
    #[must_use]
    pub fn ty(&self) -> Option<Type> {
        self.types().next()
    }

    /// Its types, in their order.
    pub fn types(&self) -> impl Iterator<Item = Type> {
        self.modifiers.iter().filter_map(|modifier| if let Modifier::Type(ty) = modifier { Some(*ty) } else { None })
    }

    /// The memory that it accesses, if it names one; otherwise its address is generic.
    #[must_use]
    pub fn space(&self) -> Option<Modifier> {
        self.modifiers.iter().copied().find(|modifier| modifier.class() == crate::Class::Space)
    }

    /// Whether it has this modifier.
    #[must_use]
    pub fn has(&self, modifier: Modifier) -> bool {
        self.modifiers.contains(&modifier)
    }

    /// Whether it is this operation with exactly these modifiers, `is(Opcode::Add, &[Modifier::Type(Type::S64)])`.
    #[must_use]
    pub fn is(&self, opcode: Opcode, modifiers: &[Modifier]) -> bool {
        self.opcode == opcode && self.modifiers == modifiers
    }

    /// The number of elements that it loads or stores at once.
    #[must_use]
    pub fn vector(&self) -> usize {
        let width = |modifier: &Modifier| match modifier {
            Modifier::V2 => Some(2),
            Modifier::V4 => Some(4),
            Modifier::V8 => Some(8),
            _ => None,
        };
        self.modifiers.iter().find_map(width).unwrap_or(1)
    }

    /// The operands that it writes: registers, vectors or pairs of them.
    #[must_use]
    pub fn destinations(&self) -> &[Operand] {
        &self.operands[..self.destination_count()]
    }

    /// The operands that it reads.
    #[must_use]
    pub fn sources(&self) -> &[Operand] {
        &self.operands[self.destination_count()..]
    }

    /// The number of operands that it writes.
    #[must_use]
    pub fn destination_count(&self) -> usize {
        self.opcode.destinations(&self.modifiers).min(self.operands.len())
    }

    /// The register that it writes, if it is one.
    #[must_use]
    pub fn destination(&self) -> Option<Register> {
        match self.destinations() {
            [Operand::Register(register)] => Some(*register),
            _ => None,
        }
    }

    /// Visits each register that it reads or writes, once per use; in guards too.
    pub fn for_each_register(&self, mut show: impl FnMut(Register, Access)) {
        if let Some(guard) = self.guard {
            show(guard.register, Access::Read);
        }
        for (n, operand) in self.operands.iter().enumerate() {
            let access = if n < self.destination_count() { Access::Write } else { Access::Read };
            operand.for_each_register(access, &mut show);
        }
    }

    /// Visits each register that it reads, mutably; in guards too.
    pub fn for_each_read_mut(&mut self, mut change: impl FnMut(&mut Register)) {
        if let Some(guard) = &mut self.guard {
            change(&mut guard.register);
        }
        let destinations = self.destination_count();
        for (n, operand) in self.operands.iter_mut().enumerate() {
            operand.for_each_register_mut(&mut |register, is_base| {
                if is_base || n >= destinations {
                    change(register);
                }
            });
        }
    }

    /// Whether it reads this register.
    #[must_use]
    pub fn reads(&self, register: Register) -> bool {
        let mut reads = false;
        self.for_each_register(|one, access| reads |= one == register && access == Access::Read);
        reads
    }

    /// Whether it writes this register.
    #[must_use]
    pub fn writes(&self, register: Register) -> bool {
        let mut writes = false;
        self.for_each_register(|one, access| writes |= one == register && access == Access::Write);
        writes
    }

    /// Whether it must be the last in its block: a jump, or an end without a predicate.
    #[must_use]
    pub fn ends_block(&self) -> bool {
        matches!(self.opcode, Opcode::Bra | Opcode::Brx) || self.leaves()
    }

    /// Whether the next instruction is never executed after it.
    #[must_use]
    pub fn leaves(&self) -> bool {
        self.guard.is_none()
            && matches!(self.opcode, Opcode::Bra | Opcode::Brx | Opcode::Ret | Opcode::Exit | Opcode::Trap)
    }

    /// The operand that is a memory access, `[…]`.
    #[must_use]
    pub fn memory(&self) -> Option<(&Base, i64)> {
        self.operands.iter().find_map(|operand| match operand {
            Operand::Memory(base, offset) => Some((base, *offset)),
            _ => None,
        })
    }
}

impl Operand {
    /// Visits its registers; a register in an address is always read.
    fn for_each_register(&self, access: Access, show: &mut impl FnMut(Register, Access)) {
        match self {
            Self::Register(register) | Self::Not(register) => show(*register, access),
            Self::Pair(one, other) => [one, other].into_iter().flatten().for_each(|register| show(*register, access)),
            Self::Vector(all) | Self::List(all) => all.iter().for_each(|one| one.for_each_register(access, show)),
            Self::Memory(Base::Register(register), _) => show(*register, Access::Read),
            _ => {}
        }
    }

    fn for_each_register_mut(&mut self, change: &mut impl FnMut(&mut Register, bool)) {
        match self {
            Self::Register(register) | Self::Not(register) => change(register, false),
            Self::Pair(one, other) => {
                [one, other].into_iter().flatten().for_each(|register| change(register, false));
            }
            Self::Vector(all) | Self::List(all) => all.iter_mut().for_each(|one| one.for_each_register_mut(change)),
            Self::Memory(Base::Register(register), _) => change(register, true),
            _ => {}
        }
    }

    /// The register that it is.
    #[must_use]
    pub fn register(&self) -> Option<Register> {
        if let Self::Register(register) = self { Some(*register) } else { None }
    }

    /// The number that it is.
    #[must_use]
    pub fn integer(&self) -> Option<i128> {
        if let Self::Integer(number) = self { Some(*number) } else { None }
    }
}
