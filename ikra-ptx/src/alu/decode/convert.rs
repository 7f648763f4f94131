//! Conversions.

use crate::{
    Instruction, Modifier, Type,
    alu::{
        Made,
        convert::{self, Conversion, to_register},
        directed::Rounding,
        machine::Machine,
    },
};

/// The rounding in an instruction's modifiers.
#[must_use]
pub fn rounding(one: &Instruction) -> Option<Rounding> {
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

fn ty<X: Machine>(m: &mut X, ty: Type) -> Result<convert::Type, X::Error> {
    Ok(match ty {
        Type::U8 | Type::U16 | Type::U32 | Type::U64 => convert::Type::Integer(ty.bits(), false),
        Type::S8 | Type::S16 | Type::S32 | Type::S64 => convert::Type::Integer(ty.bits(), true),
        Type::F16 => convert::Type::F16,
        Type::Bf16 => convert::Type::Bf16,
        Type::F32 => convert::Type::F32,
        Type::F64 => convert::Type::F64,
        _ => return m.refuse(),
    })
}

/// `cvt`
pub(super) fn convert<X: Machine>(m: &mut X, one: &Instruction) -> Made<X> {
    let types = one.types().collect::<Vec<_>>();
    let &[to, from] = &types[..] else { return m.refuse() };
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
    let d = m.target(&one.operands[0])?;
    if let (Type::F16x2 | Type::Bf16x2, [high, low]) = (to, one.sources()) {
        let half = if to == Type::F16x2 { convert::Type::F16 } else { convert::Type::Bf16 };
        let conversion = conversion(half, ty(m, from)?);
        let sources = [m.source(high, from)?, m.source(low, from)?];
        return Ok(m.binary(d, sources, move |a: u64, b: u64| conversion.apply(a) << 16 | conversion.apply(b)));
    }
    let [operand] = one.sources() else { return m.refuse() };
    let source = m.source(operand, from)?;
    let bits = m.bits(&one.operands[0]);
    let conversion = conversion(ty(m, to)?, ty(m, from)?);
    Ok(match simple(m, conversion, d, source, bits) {
        Some(made) => made,
        None => m.unary(d, source, move |a: u64| to_register(conversion.apply(a), bits)),
    })
}

/// The most frequent conversions.
fn simple<X: Machine>(m: &mut X, conversion: Conversion, d: X::Target, a: X::Source, bits: u32) -> Option<X::Made> {
    use convert::Type::{F32, F64, Integer};
    if conversion.sat || conversion.ftz {
        return None;
    }
    Some(match (conversion.to, conversion.from) {
        (Integer(64, _), Integer(32, false)) | (Integer(32, _), Integer(64, _)) => m.unary(d, a, |a: u32| a),
        (Integer(64 | 32, _), Integer(16, false)) => m.unary(d, a, |a: u16| a),
        (Integer(16, _), Integer(32 | 64, _)) if bits == 16 => m.unary(d, a, |a: u16| a),
        (Integer(64, _), Integer(32, true)) => m.unary(d, a, |a: i32| i64::from(a)),
        (F32, F64) if conversion.rounding == Rounding::Nearest => {
            m.unary(d, a, |a: f64| if a.is_nan() { f32::from_bits(0x7fff_ffff) } else { a as f32 })
        }
        (F64, F32) if !conversion.to_integer => m.unary(d, a, |a: f32| f64::from(a)),
        (F32, Integer(32, false)) if conversion.rounding == Rounding::Nearest => m.unary(d, a, |a: u32| a as f32),
        (F64, Integer(32, false)) => m.unary(d, a, |a: u32| f64::from(a)),
        (F32, Integer(32, true)) if conversion.rounding == Rounding::Nearest => m.unary(d, a, |a: i32| a as f32),
        (F64, Integer(32, true)) => m.unary(d, a, |a: i32| f64::from(a)),
        _ => return None,
    })
}
