//! From instructions to their effects on registers: the only place that says which function an instruction computes.
//!
//! A [`Machine`] makes something of the function: the emulator a closure over 32 lanes, the evaluator of
//! [`specialize`](mod@crate::specialize) the result for known operands.

mod compare;
mod convert;
mod float;
mod integer;

use super::{Combine, Made, machine::Machine, sources};
use crate::{Instruction, Kind, Modifier as M, Opcode as O, Type};

pub use convert::rounding;

/// The effect of an instruction that only reads and writes registers, other than `mov`, `cvta` and `isspacep`.
///
/// # Errors
///
/// If the machine refuses an operand, or the instruction is not one of these.
pub fn decode<X: Machine>(m: &mut X, one: &Instruction) -> Made<X> {
    if one.opcode == O::Cvt {
        return convert::convert(m, one);
    }
    if matches!(one.opcode, O::Setp | O::Set) {
        return compare::compare(m, one);
    }
    let operands = one.sources();
    let d = m.target(&one.operands[0])?;
    let Some(ty) = one.ty() else { return m.refuse() };
    if ty == Type::Pred {
        return logic(m, one, d);
    }
    if one.opcode == O::Selp {
        let [a, b, p] = operands else { return m.refuse() };
        let sources = [m.source(a, ty)?, m.source(b, ty)?];
        let condition = m.condition(p)?;
        return Ok(m.select(d, sources, condition));
    }
    if matches!(one.opcode, O::Addc | O::Subc) || one.has(M::CarryOut) {
        return carrying(m, one, d, ty);
    }
    match ty.kind() {
        Kind::Float => float::float(m, one, d, ty),
        Kind::Bits | Kind::Unsigned | Kind::Signed => integer::integer(m, one, d, ty),
        Kind::Packed | Kind::Predicate => m.refuse(),
    }
}

fn carrying<X: Machine>(m: &mut X, one: &Instruction, d: X::Target, ty: Type) -> Made<X> {
    let (takes, gives) = (matches!(one.opcode, O::Addc | O::Subc), one.has(M::CarryOut));
    let adds = match one.opcode {
        O::Add | O::Addc => true,
        O::Sub | O::Subc => false,
        _ => return m.refuse(),
    };
    let sources = sources(m, one.sources(), ty)?;
    macro_rules! carrying {
        ($T:ty) => {
            if adds {
                m.carry(d, sources, takes, gives, |a: $T, b: $T, c| {
                    let (sum, one) = a.overflowing_add(b);
                    let (sum, other) = sum.overflowing_add(<$T>::from(c));
                    (sum, one | other)
                })
            } else {
                m.carry(d, sources, takes, gives, |a: $T, b: $T, c| {
                    let (rest, one) = a.overflowing_sub(b);
                    let (rest, other) = rest.overflowing_sub(<$T>::from(c));
                    (rest, one | other)
                })
            }
        };
    }
    match ty.bits() {
        32 => Ok(carrying!(u32)),
        64 => Ok(carrying!(u64)),
        _ => m.refuse(),
    }
}

/// Logic of predicates.
fn logic<X: Machine>(m: &mut X, one: &Instruction, d: X::Target) -> Made<X> {
    match (one.opcode, one.sources()) {
        (O::Not, [a]) => {
            let condition = m.condition(a)?;
            Ok(m.predicates(d, [condition], |[a]| !a))
        }
        (O::And | O::Or | O::Xor, [a, b]) => {
            let conditions = [m.condition(a)?, m.condition(b)?];
            let combine = match one.opcode {
                O::And => Combine::And,
                O::Or => Combine::Or,
                _ => Combine::Xor,
            };
            Ok(m.predicates(d, conditions, move |[a, b]| combine.apply(a, b)))
        }
        _ => m.refuse(),
    }
}

/// Evaluates with `$T` as Rust's type for a type of PTX.
macro_rules! integers {
    ($ty:expr, $refused:expr, |$T:ident| $body:expr) => {
        match $ty {
            Type::U16 | Type::B16 => {
                type $T = u16;
                $body
            }
            Type::S16 => {
                type $T = i16;
                $body
            }
            Type::U32 | Type::B32 => {
                type $T = u32;
                $body
            }
            Type::S32 => {
                type $T = i32;
                $body
            }
            Type::U64 | Type::B64 => {
                type $T = u64;
                $body
            }
            Type::S64 => {
                type $T = i64;
                $body
            }
            _ => return $refused,
        }
    };
}

macro_rules! reals {
    ($ty:expr, $refused:expr, |$T:ident| $body:expr) => {
        match $ty {
            Type::F32 => {
                type $T = f32;
                $body
            }
            Type::F64 => {
                type $T = f64;
                $body
            }
            _ => return $refused,
        }
    };
}

pub(crate) use {integers, reals};
