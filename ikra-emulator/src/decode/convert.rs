//! Moves and conversions.

use ikra_ptx::{Instruction, Modifier, Operand, Type};

use super::{Decoded, Decoder, Scope, refuse};
use crate::{
    alu::{
        convert::{self, Conversion, to_register},
        directed::Rounding,
    },
    code::Action,
    compute::{self, binary, predicates, unary},
    registers::Source,
};

/// The rounding in an instruction's modifiers.
pub(super) fn rounding(one: &Instruction) -> Option<Rounding> {
    one.modifiers.iter().find_map(|modifier| {
        Some(match modifier {
            Modifier::Rn | Modifier::Rni => Rounding::Nearest,
            Modifier::Rz | Modifier::Rzi => Rounding::Zero,
            Modifier::Rm | Modifier::Rmi => Rounding::Down,
            Modifier::Rp | Modifier::Rpi => Rounding::Up,
            Modifier::Rna => Rounding::Away,
            _ => return None,
        })
    })
}

fn ty(ty: Type, line: u32) -> Decoded<convert::Type> {
    Ok(match ty {
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => convert::Type::Integer(ty.bits(), false),
        Type::S8 | Type::S16 | Type::S32 | Type::S64 => convert::Type::Integer(ty.bits(), true),
        Type::F16 => convert::Type::F16,
        Type::Bf16 => convert::Type::Bf16,
        Type::F32 => convert::Type::F32,
        Type::F64 => convert::Type::F64,
        _ => return refuse(line, ""),
    })
}

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

    /// `cvt`
    pub(super) fn conversion(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let types = one.types().collect::<Vec<_>>();
        let &[to, from] = &types[..] else { return refuse(line, "") };
        let to_integer = [Modifier::Rni, Modifier::Rzi, Modifier::Rmi, Modifier::Rpi].iter().any(|&m| one.has(m));
        let conversion = |to, from| Conversion {
            to,
            from,
            rounding: rounding(one).unwrap_or(Rounding::Nearest),
            to_integer,
            ftz: one.has(Modifier::Ftz),
            sat: one.has(Modifier::Sat),
            relu: one.has(Modifier::Relu),
        };
        let d = scope.written(&one.operands[0], line)?;
        if let (Type::F16x2 | Type::Bf16x2, [high, low]) = (to, one.sources()) {
            let half = if to == Type::F16x2 { convert::Type::F16 } else { convert::Type::Bf16 };
            let conversion = conversion(half, ty(from, line)?);
            let sources = [self.source(scope, high, from, line)?, self.source(scope, low, from, line)?];
            return Ok(Action::Compute(binary(d, sources, move |a: u64, b: u64| {
                conversion.apply(a) << 16 | conversion.apply(b)
            })));
        }
        let [operand] = one.sources() else { return refuse(line, "") };
        let source = self.source(scope, operand, from, line)?;
        let bits = scope.bits(&one.operands[0]);
        let conversion = conversion(ty(to, line)?, ty(from, line)?);
        Ok(Action::Compute(
            simple(conversion, d, source, bits)
                .unwrap_or_else(|| unary(d, source, move |a: u64| to_register(conversion.apply(a), bits))),
        ))
    }
}

/// The most frequent conversions.
fn simple(conversion: Conversion, d: u32, a: Source, bits: u32) -> Option<compute::Compute> {
    use convert::Type::{F32, F64, Integer};
    if conversion.sat || conversion.ftz {
        return None;
    }
    Some(match (conversion.to, conversion.from) {
        (Integer(64, _), Integer(32, false)) | (Integer(32, _), Integer(64, _)) => unary(d, a, |a: u32| a),
        (Integer(64 | 32, _), Integer(16, false)) => unary(d, a, |a: u16| a),
        (Integer(16, _), Integer(32 | 64, _)) if bits == 16 => unary(d, a, |a: u16| a),
        (Integer(64, _), Integer(32, true)) => unary(d, a, |a: i32| i64::from(a)),
        (F32, F64) if conversion.rounding == Rounding::Nearest => {
            unary(d, a, |a: f64| if a.is_nan() { f32::from_bits(0x7fff_ffff) } else { a as f32 })
        }
        (F64, F32) if !conversion.to_integer => unary(d, a, |a: f32| f64::from(a)),
        (F32, Integer(32, false)) if conversion.rounding == Rounding::Nearest => unary(d, a, |a: u32| a as f32),
        (F64, Integer(32, false)) => unary(d, a, |a: u32| f64::from(a)),
        (F32, Integer(32, true)) if conversion.rounding == Rounding::Nearest => unary(d, a, |a: i32| a as f32),
        (F64, Integer(32, true)) => unary(d, a, |a: i32| f64::from(a)),
        _ => return None,
    })
}
