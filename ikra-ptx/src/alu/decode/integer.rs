//! Integers.

use super::integers;
use crate::{
    Instruction, Kind, Modifier as M, Opcode as O, Operand, Type,
    alu::{
        Made,
        bits::{self, Permutation},
        integer::{self, Integer},
        machine::Machine,
        sources,
    },
};

pub(super) fn integer<X: Machine>(m: &mut X, one: &Instruction, d: X::Target, ty: Type) -> Made<X> {
    let operands = one.sources();
    let (hi, wide, sat) = (one.has(M::Hi), one.has(M::Wide), one.has(M::Sat));
    let signed = ty.kind() == Kind::Signed;
    let width = ty.bits();
    if sat && !(matches!(one.opcode, O::Add | O::Sub) && ty == Type::S32) {
        return m.refuse();
    }
    // Operands of other types.
    match one.opcode {
        O::Shl | O::Shr => {
            let [a, b] = operands else { return m.refuse() };
            let sources = [m.source(a, ty)?, m.source(b, Type::U32)?];
            return Ok(integers!(ty, m.refuse(), |T| if one.opcode == O::Shl {
                m.binary(d, sources, |a: T, b: u32| Integer::shl(a, b))
            } else {
                m.binary(d, sources, |a: T, b: u32| Integer::shr(a, b))
            }));
        }
        O::Mul | O::Mad if wide => {
            let both: [X::Source; 2] = sources(m, &operands[..2], ty)?;
            let c = match operands.get(2) {
                Some(c) => Some(m.source(c, if width == 16 { Type::B32 } else { Type::B64 })?),
                None => None,
            };
            macro_rules! wide {
                ($T:ty, $W:ty) => {
                    match c {
                        None => m.binary(d, both, |a: $T, b: $T| a as $W * b as $W),
                        Some(c) => m.ternary(d, [both[0], both[1], c], |a: $T, b: $T, c: $W| {
                            (a as $W * b as $W).wrapping_add(c)
                        }),
                    }
                };
            }
            return Ok(match ty {
                Type::U16 => wide!(u16, u32),
                Type::S16 => wide!(i16, i32),
                Type::U32 => wide!(u32, u64),
                Type::S32 => wide!(i32, i64),
                _ => return m.refuse(),
            });
        }
        O::Bfe => {
            let [a, b, c] = operands else { return m.refuse() };
            let sources = [m.source(a, ty)?, m.source(b, Type::U32)?, m.source(c, Type::U32)?];
            return Ok(m.ternary(d, sources, move |a: u64, b: u32, c: u32| bits::bfe(a, b, c, width, signed)));
        }
        O::Bfi => {
            let [a, b, c, e] = operands else { return m.refuse() };
            let sources = [m.source(a, ty)?, m.source(b, ty)?, m.source(c, Type::U32)?, m.source(e, Type::U32)?];
            return Ok(m.quaternary(d, sources, move |a: u64, b: u64, c: u64, e: u64| {
                bits::bfi(a, b, c as u32, e as u32, width)
            }));
        }
        O::Lop3 => {
            let [a, b, c, Operand::Integer(table)] = operands else { return m.refuse() };
            if one.has(M::Or) || one.has(M::And) {
                return m.refuse();
            }
            let table = *table as u8;
            let sources = sources(m, &[a.clone(), b.clone(), c.clone()], ty)?;
            return Ok(m.ternary(d, sources, move |a: u32, b: u32, c: u32| bits::lop3(a, b, c, table)));
        }
        O::Slct => {
            let [a, b, c] = operands else { return m.refuse() };
            let by = one.types().last().unwrap_or(ty);
            let sources = [m.source(a, ty)?, m.source(b, ty)?, m.source(c, by)?];
            return match by {
                Type::S32 => Ok(m.ternary(d, sources, |a: u64, b: u64, c: i32| if c >= 0 { a } else { b })),
                Type::F32 if !one.has(M::Ftz) => {
                    Ok(m.ternary(d, sources, |a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b }))
                }
                _ => m.refuse(),
            };
        }
        O::Dp4a | O::Dp2a => {
            let types = one.types().collect::<Vec<_>>();
            let (a_signed, b_signed) = (types[0] == Type::S32, types[1] == Type::S32);
            let sources = sources(m, operands, Type::U32)?;
            let is_four = one.opcode == O::Dp4a;
            return Ok(m.ternary(d, sources, move |a: u32, b: u32, c: u32| {
                if is_four {
                    integer::dp4a(a, b, c, a_signed, b_signed)
                } else {
                    integer::dp2a(a, b, c, a_signed, b_signed, hi)
                }
            }));
        }
        _ => {}
    }
    match operands.len() {
        1 => {
            let [a] = sources(m, operands, ty)?;
            Ok(match (one.opcode, width) {
                (O::Not, 64) => m.unary(d, a, |a: u64| !a),
                (O::Not, 32) => m.unary(d, a, |a: u32| !a),
                (O::Not, 16) => m.unary(d, a, |a: u16| !a),
                (O::Cnot, 64) => m.unary(d, a, |a: u64| u64::from(a == 0)),
                (O::Cnot, 32) => m.unary(d, a, |a: u32| u32::from(a == 0)),
                (O::Cnot, 16) => m.unary(d, a, |a: u16| u16::from(a == 0)),
                (O::Neg, 64) => m.unary(d, a, |a: i64| a.wrapping_neg()),
                (O::Neg, 32) => m.unary(d, a, |a: i32| a.wrapping_neg()),
                (O::Neg, 16) => m.unary(d, a, |a: i16| a.wrapping_neg()),
                (O::Abs, 64) => m.unary(d, a, |a: i64| a.wrapping_abs()),
                (O::Abs, 32) => m.unary(d, a, |a: i32| a.wrapping_abs()),
                (O::Abs, 16) => m.unary(d, a, |a: i16| a.wrapping_abs()),
                (O::Popc, 64) => m.unary(d, a, |a: u64| a.count_ones()),
                (O::Popc, 32) => m.unary(d, a, |a: u32| a.count_ones()),
                (O::Clz, 64) => m.unary(d, a, |a: u64| a.leading_zeros()),
                (O::Clz, 32) => m.unary(d, a, |a: u32| a.leading_zeros()),
                (O::Brev, 64) => m.unary(d, a, |a: u64| a.reverse_bits()),
                (O::Brev, 32) => m.unary(d, a, |a: u32| a.reverse_bits()),
                (O::Bfind, 32 | 64) => {
                    let amount = one.has(M::ShiftAmount);
                    m.unary(d, a, move |a: u64| bits::bfind(a, width, signed, amount))
                }
                _ => return m.refuse(),
            })
        }
        2 => {
            let sources = sources(m, operands, ty)?;
            if one.opcode == O::Mul24 {
                return Ok(m.binary(d, sources, move |a: u32, b: u32| integer::mul24(a, b, signed, hi)));
            }
            if matches!(one.opcode, O::And | O::Or | O::Xor) {
                return Ok(match one.opcode {
                    O::And => m.binary(d, sources, |a: u64, b: u64| a & b),
                    O::Or => m.binary(d, sources, |a: u64, b: u64| a | b),
                    _ => m.binary(d, sources, |a: u64, b: u64| a ^ b),
                });
            }
            Ok(integers!(ty, m.refuse(), |T| match one.opcode {
                O::Add if sat => m.binary(d, sources, |a: T, b: T| a.add_sat(b)),
                O::Sub if sat => m.binary(d, sources, |a: T, b: T| a.sub_sat(b)),
                O::Add => m.binary(d, sources, |a: T, b: T| Integer::add(a, b)),
                O::Sub => m.binary(d, sources, |a: T, b: T| Integer::sub(a, b)),
                O::Mul if hi => m.binary(d, sources, |a: T, b: T| a.mul_hi(b)),
                O::Mul => m.binary(d, sources, |a: T, b: T| Integer::mul(a, b)),
                O::Div => m.binary(d, sources, |a: T, b: T| Integer::div(a, b)),
                O::Rem => m.binary(d, sources, |a: T, b: T| Integer::rem(a, b)),
                O::Min if !one.has(M::Relu) => m.binary(d, sources, |a: T, b: T| a.min(b)),
                O::Max if !one.has(M::Relu) => m.binary(d, sources, |a: T, b: T| a.max(b)),
                _ => return m.refuse(),
            }))
        }
        3 => {
            let sources = sources(m, operands, ty)?;
            let wrap = one.has(M::Wrap);
            Ok(match one.opcode {
                O::Mad if hi => integers!(ty, m.refuse(), |T| m
                    .ternary(d, sources, |a: T, b: T, c: T| { Integer::add(a.mul_hi(b), c) })),
                O::Mad => integers!(ty, m.refuse(), |T| m
                    .ternary(d, sources, |a: T, b: T, c: T| { Integer::add(Integer::mul(a, b), c) })),
                O::Sad => integers!(ty, m.refuse(), |T| m
                    .ternary(d, sources, |a: T, b: T, c: T| { Integer::add(a.difference(b), c) })),
                O::Mad24 => m.ternary(d, sources, move |a: u32, b: u32, c: u32| {
                    integer::mul24(a, b, signed, hi).wrapping_add(c)
                }),
                O::Fns => m.ternary(d, sources, |a: u32, b: u32, c: i32| bits::fns(a, b, c)),
                O::Prmt => {
                    let mode = permutation(one);
                    m.ternary(d, sources, move |a: u32, b: u32, c: u32| bits::prmt(a, b, c, mode))
                }
                O::Shf => {
                    let left = one.has(M::Left);
                    m.ternary(d, sources, move |a: u32, b: u32, c: u32| bits::shf(a, b, c, left, wrap))
                }
                _ => return m.refuse(),
            })
        }
        _ => m.refuse(),
    }
}

fn permutation(one: &Instruction) -> Permutation {
    let modes = [
        (M::F4e, Permutation::Forward),
        (M::B4e, Permutation::Backward),
        (M::Rc8, Permutation::Replicate8),
        (M::Ecl, Permutation::EdgeLeft),
        (M::Ecr, Permutation::EdgeRight),
        (M::Rc16, Permutation::Replicate16),
    ];
    modes.into_iter().find(|&(modifier, _)| one.has(modifier)).map_or(Permutation::Index, |(_, mode)| mode)
}
