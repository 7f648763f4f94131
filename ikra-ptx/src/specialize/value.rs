//! Known values of registers.

use std::rc::Rc;

use crate::{Instruction, Modifier as M, Opcode as O, Operand, Register, Type, program::Bits};

/// A known value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Value {
    /// Its bits; a register's other bits are 0.
    Bits(u64),
    /// The address of a variable or parameter, by its number, in its own space, plus a distance.
    Address(u32, i64),
    /// The same as a generic address.
    Generic(u32, i64),
}

impl Value {
    pub(super) fn bits(self) -> Option<u64> {
        if let Self::Bits(bits) = self { Some(bits) } else { None }
    }

    /// Moved by a distance.
    pub(super) fn plus(self, distance: u64) -> Self {
        match self {
            Self::Bits(bits) => Self::Bits(bits.wrapping_add(distance)),
            Self::Address(symbol, at) => Self::Address(symbol, at.wrapping_add_unsigned(distance)),
            Self::Generic(symbol, at) => Self::Generic(symbol, at.wrapping_add_unsigned(distance)),
        }
    }
}

/// The known registers when a version of a block starts, in their order.
pub(super) type State = Rc<[(Register, Value)]>;

/// The bits of a value of this many bits.
pub(super) fn low(value: u64, bits: u32) -> u64 {
    if bits >= 64 { value } else { value & ((1 << bits) - 1) }
}

/// A constant as an operand of a type, if there is such an operand.
pub(super) fn immediate(value: u64, ty: Type) -> Option<Operand> {
    use Type as T;
    Some(match ty {
        T::F32 => Operand::Float(Bits::Single(value as u32)),
        T::F64 => Operand::Float(Bits::Double(value)),
        T::S16 | T::B16 => Operand::Integer(i128::from(value as i16)),
        T::S32 | T::B32 => Operand::Integer(i128::from(value as i32)),
        T::U16 => Operand::Integer(i128::from(value as u16)),
        T::U32 => Operand::Integer(i128::from(value as u32)),
        T::S64 | T::B64 | T::U64 => Operand::Integer(i128::from(value as i64)),
        T::Pred => Operand::Integer(if value & 1 == 1 { -1 } else { 0 }),
        _ => return None,
    })
}

/// The type with which `mov` copies to a register of a type.
pub(super) fn moved(ty: Type) -> Type {
    match ty.bits() {
        1 => Type::Pred,
        16 => Type::B16,
        32 if ty != Type::F32 => Type::B32,
        64 if ty != Type::F64 => Type::B64,
        _ => ty,
    }
}

/// `mov`
pub(super) fn copy(to: Register, ty: Type, from: Operand) -> Instruction {
    let ty = match (moved(ty), &from) {
        // Registers of different types of one width.
        (Type::F32, Operand::Register(_)) => Type::B32,
        (Type::F64, Operand::Register(_)) => Type::B64,
        (ty, _) => ty,
    };
    Instruction::new(O::Mov, &[M::Type(ty)], vec![Operand::Register(to), from])
}
