//! Moves.

use ikra_ptx::{Instruction, Operand, Type};

use super::{Decoded, Decoder, Scope, refuse};
use crate::{
    code::Action,
    compute::{self, binary, predicates, unary},
};

impl<'m> Decoder<'m> {
    /// `mov`
    pub(super) fn copy(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let (Some(ty), [to, from]) = (one.ty(), &one.operands[..]) else { return refuse(line, "") };
        if ty == Type::Pred {
            let (d, condition) = (scope.written(to, line)?, scope.condition(from, line)?);
            return Ok(Action::Compute(predicates(d, [condition], |[a]| a)));
        }
        if ty.bits() > 64 {
            return refuse(line, "");
        }
        if let Operand::Vector(parts) = to {
            let rows = parts.iter().map(|part| scope.destination(part, line)).collect::<Decoded<Vec<_>>>()?;
            let bits = ty.bits() / rows.len() as u32;
            let from = self.source(scope, from, ty, line)?;
            return Ok(Action::Compute(compute::unpack(rows, from, bits)));
        }
        let d = scope.written(to, line)?;
        if let Operand::Vector(parts) = from {
            let bits = ty.bits() / parts.len() as u32;
            let part = match bits {
                8 => Type::B8,
                16 => Type::B16,
                32 => Type::B32,
                _ => return refuse(line, ""),
            };
            let parts = parts.iter().map(|one| self.source(scope, one, part, line)).collect::<Decoded<Vec<_>>>()?;
            return Ok(Action::Compute(compute::pack(d, parts, bits)));
        }
        if let Operand::Special(special) = from
            && let Some(clock) = Self::clock(*special)
        {
            return Ok(Action::Clock { to: d, clock });
        }
        if let Operand::Symbol(name, offset) = from {
            let address = self.symbol(scope, name, *offset, line)?;
            if address.offset != 0 {
                let offset = self.constant(address.offset as u64);
                return Ok(Action::Compute(binary(d, [address.base, offset], |a: u64, b: u64| a.wrapping_add(b))));
            }
        }
        let from = self.source(scope, from, ty, line)?;
        Ok(Action::Compute(match ty.bits() {
            64 => unary(d, from, |a: u64| a),
            32 => unary(d, from, |a: u32| a),
            16 => unary(d, from, |a: u16| a),
            _ => unary(d, from, |a: u8| a),
        }))
    }
}
