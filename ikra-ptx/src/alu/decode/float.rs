//! Floats.

use super::{convert::rounding, reals};
use crate::{
    Instruction, Modifier as M, Opcode as O, Type,
    alu::{
        Made,
        approximate::{self, Approximate},
        directed::Rounding,
        float::{self, Extremum, Mode, Property, Real},
        machine::Machine,
        sources,
    },
};

pub(super) fn float<X: Machine>(m: &mut X, one: &Instruction, d: X::Target, ty: Type) -> Made<X> {
    let ftz = one.has(M::Ftz);
    if one.has(M::Relu) {
        return m.refuse();
    }
    let mode = Mode { rounding: rounding(one).unwrap_or(Rounding::Nearest), ftz, sat: one.has(M::Sat) };
    let is_approximate = one.has(M::Approx) || one.has(M::Full);
    let operands = one.sources();
    let is_fast = mode.is_plain();
    if one.opcode == O::Testp {
        let [a] = sources(m, operands, ty)?;
        let property = property(one).map_or_else(|| m.refuse(), Ok)?;
        return Ok(reals!(ty, m.refuse(), |T| m
            .set_predicate([Some(d), None], [a, a], None, move |a: T, _| float::has(a, property))));
    }
    if one.opcode == O::Slct {
        return m.refuse();
    }
    match operands.len() {
        1 => {
            let [a] = sources(m, operands, ty)?;
            let function = match one.opcode {
                O::Sin => Some(Approximate::Sine),
                O::Cos => Some(Approximate::Cosine),
                O::Ex2 => Some(Approximate::Power2),
                O::Lg2 => Some(Approximate::Logarithm2),
                O::Tanh => Some(Approximate::HyperbolicTangent),
                O::Rsqrt => Some(Approximate::ReciprocalRoot),
                O::Rcp if is_approximate => Some(Approximate::Reciprocal),
                O::Sqrt if is_approximate => Some(Approximate::Root),
                _ => None,
            };
            if let Some(function) = function {
                return match ty {
                    Type::F32 => Ok(m.unary(d, a, move |a: f32| approximate::of_f32(a, function, ftz))),
                    Type::F64 => {
                        Ok(m.unary(d, a, move |a: f64| {
                            approximate::of_f64(if ftz { a.flushed() } else { a }, function)
                        }))
                    }
                    _ => m.refuse(),
                };
            }
            Ok(reals!(ty, m.refuse(), |T| match one.opcode {
                O::Neg => m.unary(d, a, move |a: T| (if ftz { a.flushed() } else { a }).negative()),
                O::Abs => m.unary(d, a, move |a: T| (if ftz { a.flushed() } else { a }).absolute()),
                O::Rcp => m.unary(d, a, move |a: T| float::div(T::ONE, a, mode)),
                O::Sqrt => m.unary(d, a, move |a: T| float::sqrt(a, mode)),
                _ => return m.refuse(),
            }))
        }
        2 => {
            let sources = sources(m, operands, ty)?;
            let extremum = |max| Extremum { max, nan: one.has(M::NaN), xorsign: one.has(M::XorSign), ftz };
            Ok(reals!(ty, m.refuse(), |T| match one.opcode {
                O::Add if is_fast => m.binary(d, sources, |a: T, b: T| a.plus(b).canonical()),
                O::Sub if is_fast => m.binary(d, sources, |a: T, b: T| a.plus(b.negative()).canonical()),
                O::Mul if is_fast => m.binary(d, sources, |a: T, b: T| a.times(b).canonical()),
                O::Add => m.binary(d, sources, move |a: T, b: T| float::add(a, b, mode)),
                O::Sub => m.binary(d, sources, move |a: T, b: T| float::add(a, b.negative(), mode)),
                O::Mul => m.binary(d, sources, move |a: T, b: T| float::mul(a, b, mode)),
                O::Div => m.binary(d, sources, move |a: T, b: T| float::div(a, b, mode)),
                O::Copysign => m.binary(d, sources, |a: T, b: T| b.signed_as(a)),
                O::Min => {
                    let how = extremum(false);
                    m.binary(d, sources, move |a: T, b: T| float::extremum(a, b, how))
                }
                O::Max => {
                    let how = extremum(true);
                    m.binary(d, sources, move |a: T, b: T| float::extremum(a, b, how))
                }
                _ => return m.refuse(),
            }))
        }
        3 if matches!(one.opcode, O::Fma | O::Mad) => {
            let sources = sources(m, operands, ty)?;
            Ok(reals!(ty, m.refuse(), |T| m.ternary(d, sources, move |a: T, b: T, c: T| float::fma(a, b, c, mode))))
        }
        _ => m.refuse(),
    }
}

fn property(one: &Instruction) -> Option<Property> {
    let properties = [
        (M::Finite, Property::Finite),
        (M::Infinite, Property::Infinite),
        (M::Number, Property::Number),
        (M::NotANumber, Property::NotANumber),
        (M::Normal, Property::Normal),
        (M::Subnormal, Property::Subnormal),
    ];
    properties.into_iter().find(|&(modifier, _)| one.has(modifier)).map(|(_, property)| property)
}
