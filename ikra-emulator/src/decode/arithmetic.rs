//! Arithmetic, logic, comparisons.

use ikra_ptx::{Instruction, Kind, Modifier as M, Opcode as O, Operand, Type};

use super::{Decoded, Decoder, Scope, convert::rounding, refuse};
use crate::{
    alu::{
        approximate::{self, Approximate},
        bits::{self, Permutation},
        directed::Rounding,
        float::{self, Extremum, Mode, Property, Real},
        integer::{self, Integer},
    },
    code::CARRY,
    compute::{
        Combine, Compute, Condition, binary, carry, predicates, quaternary, select, set_predicate, set_value, ternary,
        test, unary,
    },
    memory::window,
    registers::Source,
};

/// Evaluates with `$T` as Rust's type for a type of PTX.
macro_rules! integers {
    ($ty:expr, $line:expr, |$T:ident| $body:expr) => {
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
            _ => return refuse($line, ""),
        }
    };
}

macro_rules! reals {
    ($ty:expr, $line:expr, |$T:ident| $body:expr) => {
        match $ty {
            Type::F32 => {
                type $T = f32;
                $body
            }
            Type::F64 => {
                type $T = f64;
                $body
            }
            _ => return refuse($line, ""),
        }
    };
}

/// A comparison of two values that may not be ordered.
fn comparison(one: &Instruction) -> Option<M> {
    one.modifiers.iter().copied().find(|modifier| modifier.class() == ikra_ptx::Class::Comparison)
}

/// `lt` and other comparisons of numbers: the results for less, equal, greater, unordered.
const fn holds(comparison: M) -> Option<[bool; 4]> {
    Some(match comparison {
        M::Eq => [false, true, false, false],
        M::Ne => [true, false, true, false],
        M::Lt | M::Lo => [true, false, false, false],
        M::Le | M::Ls => [true, true, false, false],
        M::Gt | M::Hi => [false, false, true, false],
        M::Ge | M::Hs => [false, true, true, false],
        M::Equ => [false, true, false, true],
        M::Neu => [true, false, true, true],
        M::Ltu => [true, false, false, true],
        M::Leu => [true, true, false, true],
        M::Gtu => [false, false, true, true],
        M::Geu => [false, true, true, true],
        M::Num => [true, true, true, false],
        M::Nan => [false, false, false, true],
        _ => return None,
    })
}

/// The common part of `setp` and `set`.
struct Comparing {
    comparison: M,
    ty: Type,
    ftz: bool,
    sources: [Source; 2],
    combine: Option<(Combine, Condition)>,
}

impl<'m> Decoder<'m> {
    pub(super) fn arithmetic(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Compute> {
        let line = one.line;
        if matches!(one.opcode, O::Setp | O::Set) {
            return self.comparing(scope, one);
        }
        let operands = one.sources();
        let d = scope.written(&one.operands[0], line)?;
        if matches!(one.opcode, O::Isspacep | O::Cvta) {
            return self.spaces(scope, one, d);
        }
        let Some(ty) = one.ty() else { return refuse(line, "") };
        if ty == Type::Pred {
            return logic(scope, one, d);
        }
        if one.opcode == O::Selp {
            let [a, b, p] = operands else { return refuse(line, "") };
            let sources = [self.source(scope, a, ty, line)?, self.source(scope, b, ty, line)?];
            return Ok(select(d, sources, scope.condition(p, line)?));
        }
        if matches!(one.opcode, O::Addc | O::Subc) || one.has(M::CarryOut) {
            return self.carrying(scope, one, d, ty);
        }
        match ty.kind() {
            Kind::Float => self.float(scope, one, d, ty),
            Kind::Bits | Kind::Unsigned | Kind::Signed => self.integer(scope, one, d, ty),
            Kind::Packed | Kind::Predicate => refuse(line, ""),
        }
    }

    fn carrying(&mut self, scope: &Scope<'m>, one: &Instruction, d: u32, ty: Type) -> Decoded<Compute> {
        let line = one.line;
        let (takes, gives) = (matches!(one.opcode, O::Addc | O::Subc), one.has(M::CarryOut));
        let adds = match one.opcode {
            O::Add | O::Addc => true,
            O::Sub | O::Subc => false,
            _ => return refuse(line, ""),
        };
        let sources = self.sources(scope, one.sources(), ty, line)?;
        macro_rules! carrying {
            ($T:ty) => {
                if adds {
                    carry(d, sources, CARRY, takes, gives, |a: $T, b: $T, c| {
                        let (sum, one) = a.overflowing_add(b);
                        let (sum, other) = sum.overflowing_add(<$T>::from(c));
                        (sum, one | other)
                    })
                } else {
                    carry(d, sources, CARRY, takes, gives, |a: $T, b: $T, c| {
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
            _ => refuse(line, ""),
        }
    }

    fn spaces(&mut self, scope: &Scope<'m>, one: &Instruction, d: u32) -> Decoded<Compute> {
        let line = one.line;
        let Some(space) = one.space() else { return refuse(line, "") };
        let base = match space {
            M::Shared | M::SharedCta => window::SHARED,
            M::Local => window::LOCAL,
            M::Param | M::ParamEntry => window::PARAMETER,
            M::Global | M::Const => 0,
            _ => return refuse(line, ""),
        };
        let [operand] = one.sources() else { return refuse(line, "") };
        if let (Operand::Symbol(name, offset), O::Cvta) = (operand, one.opcode) {
            let address = self.symbol(scope, name, *offset, line)?;
            let offset = self.constant(address.offset as u64);
            return Ok(binary(d, [address.base, offset], move |a: u64, b: u64| a.wrapping_add(b) | base));
        }
        let source = self.source(scope, operand, Type::U64, line)?;
        if one.opcode == O::Isspacep {
            return Ok(test(d, source, move |a: u64| {
                let there = window::window(a);
                if base != 0 {
                    there == base
                } else {
                    !matches!(there, window::SHARED | window::LOCAL | window::PARAMETER | window::FUNCTION)
                }
            }));
        }
        if one.ty().is_some_and(|ty| ty.bits() != 64) {
            return refuse(line, "");
        }
        Ok(match (base, one.has(M::To)) {
            (0 | window::PARAMETER, _) => unary(d, source, |a: u64| a),
            (_, true) => unary(d, source, move |a: u64| if window::window(a) == base { window::offset(a) } else { a }),
            // A null pointer stays one: no variable has offset 0.
            (_, false) => unary(d, source, move |a: u64| if a == 0 { 0 } else { a | base }),
        })
    }

    fn comparing(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Compute> {
        let line = one.line;
        let ty = one.types().last();
        let (Some(comparison), Some(ty)) = (comparison(one), ty) else { return refuse(line, "") };
        let operands = one.sources();
        let combine = match (operands.get(2), one.has(M::And), one.has(M::Or), one.has(M::Xor)) {
            (None, false, false, false) => None,
            (Some(with), true, false, false) => Some((Combine::And, scope.condition(with, line)?)),
            (Some(with), false, true, false) => Some((Combine::Or, scope.condition(with, line)?)),
            (Some(with), false, false, true) => Some((Combine::Xor, scope.condition(with, line)?)),
            _ => return refuse(line, ""),
        };
        let sources = self.sources(scope, &operands[..2], ty, line)?;
        let what = Comparing { comparison, ty, ftz: one.has(M::Ftz), sources, combine };
        if one.opcode == O::Setp {
            let (p, q) = scope.pair(&one.operands[0], line)?;
            return compare(line, &what, Goal::Predicate(p, q));
        }
        let d = scope.written(&one.operands[0], line)?;
        let yes = match one.ty() {
            Some(Type::F32) => u64::from(1f32.to_bits()),
            Some(Type::U32 | Type::S32 | Type::B32) => 0xffff_ffff,
            _ => return refuse(line, ""),
        };
        compare(line, &what, Goal::Value(d, yes))
    }

    fn integer(&mut self, scope: &Scope<'m>, one: &Instruction, d: u32, ty: Type) -> Decoded<Compute> {
        let line = one.line;
        let operands = one.sources();
        let (hi, wide, sat) = (one.has(M::Hi), one.has(M::Wide), one.has(M::Sat));
        let signed = ty.kind() == Kind::Signed;
        let width = ty.bits();
        if sat && !(matches!(one.opcode, O::Add | O::Sub) && ty == Type::S32) {
            return refuse(line, "");
        }
        // Operands of other types.
        match one.opcode {
            O::Shl | O::Shr => {
                let [a, b] = operands else { return refuse(line, "") };
                let sources = [self.source(scope, a, ty, line)?, self.source(scope, b, Type::U32, line)?];
                return Ok(integers!(ty, line, |T| if one.opcode == O::Shl {
                    binary(d, sources, |a: T, b: u32| Integer::shl(a, b))
                } else {
                    binary(d, sources, |a: T, b: u32| Integer::shr(a, b))
                }));
            }
            O::Mul | O::Mad if wide => {
                let both: [Source; 2] = self.sources(scope, &operands[..2], ty, line)?;
                let c = match operands.get(2) {
                    Some(c) => Some(self.source(scope, c, if width == 16 { Type::B32 } else { Type::B64 }, line)?),
                    None => None,
                };
                macro_rules! wide {
                    ($T:ty, $W:ty) => {
                        match c {
                            None => binary(d, both, |a: $T, b: $T| a as $W * b as $W),
                            Some(c) => ternary(d, [both[0], both[1], c], |a: $T, b: $T, c: $W| {
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
                    _ => return refuse(line, ""),
                });
            }
            O::Bfe => {
                let [a, b, c] = operands else { return refuse(line, "") };
                let sources = [
                    self.source(scope, a, ty, line)?,
                    self.source(scope, b, Type::U32, line)?,
                    self.source(scope, c, Type::U32, line)?,
                ];
                return Ok(ternary(d, sources, move |a: u64, b: u32, c: u32| bits::bfe(a, b, c, width, signed)));
            }
            O::Bfi => {
                let [a, b, c, e] = operands else { return refuse(line, "") };
                let sources = [
                    self.source(scope, a, ty, line)?,
                    self.source(scope, b, ty, line)?,
                    self.source(scope, c, Type::U32, line)?,
                    self.source(scope, e, Type::U32, line)?,
                ];
                return Ok(quaternary(d, sources, move |a: u64, b: u64, c: u64, e: u64| {
                    bits::bfi(a, b, c as u32, e as u32, width)
                }));
            }
            O::Lop3 => {
                let [a, b, c, Operand::Integer(table)] = operands else { return refuse(line, "") };
                if one.has(M::Or) || one.has(M::And) {
                    return refuse(line, "");
                }
                let table = *table as u8;
                let sources = self.sources(scope, &[a.clone(), b.clone(), c.clone()], ty, line)?;
                return Ok(ternary(d, sources, move |a: u32, b: u32, c: u32| bits::lop3(a, b, c, table)));
            }
            O::Slct => {
                let [a, b, c] = operands else { return refuse(line, "") };
                let by = one.types().last().unwrap_or(ty);
                let sources = [
                    self.source(scope, a, ty, line)?,
                    self.source(scope, b, ty, line)?,
                    self.source(scope, c, by, line)?,
                ];
                return match by {
                    Type::S32 => Ok(ternary(d, sources, |a: u64, b: u64, c: i32| if c >= 0 { a } else { b })),
                    Type::F32 if !one.has(M::Ftz) => {
                        Ok(ternary(d, sources, |a: u64, b: u64, c: f32| if c >= 0.0 { a } else { b }))
                    }
                    _ => refuse(line, ""),
                };
            }
            O::Dp4a | O::Dp2a => {
                let types = one.types().collect::<Vec<_>>();
                let (a_signed, b_signed) = (types[0] == Type::S32, types[1] == Type::S32);
                let sources = self.sources(scope, operands, Type::U32, line)?;
                let is_four = one.opcode == O::Dp4a;
                return Ok(ternary(d, sources, move |a: u32, b: u32, c: u32| {
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
                let [a] = self.sources(scope, operands, ty, line)?;
                Ok(match (one.opcode, width) {
                    (O::Not, 64) => unary(d, a, |a: u64| !a),
                    (O::Not, 32) => unary(d, a, |a: u32| !a),
                    (O::Not, 16) => unary(d, a, |a: u16| !a),
                    (O::Cnot, 64) => unary(d, a, |a: u64| u64::from(a == 0)),
                    (O::Cnot, 32) => unary(d, a, |a: u32| u32::from(a == 0)),
                    (O::Cnot, 16) => unary(d, a, |a: u16| u16::from(a == 0)),
                    (O::Neg, 64) => unary(d, a, |a: i64| a.wrapping_neg()),
                    (O::Neg, 32) => unary(d, a, |a: i32| a.wrapping_neg()),
                    (O::Neg, 16) => unary(d, a, |a: i16| a.wrapping_neg()),
                    (O::Abs, 64) => unary(d, a, |a: i64| a.wrapping_abs()),
                    (O::Abs, 32) => unary(d, a, |a: i32| a.wrapping_abs()),
                    (O::Abs, 16) => unary(d, a, |a: i16| a.wrapping_abs()),
                    (O::Popc, 64) => unary(d, a, |a: u64| a.count_ones()),
                    (O::Popc, 32) => unary(d, a, |a: u32| a.count_ones()),
                    (O::Clz, 64) => unary(d, a, |a: u64| a.leading_zeros()),
                    (O::Clz, 32) => unary(d, a, |a: u32| a.leading_zeros()),
                    (O::Brev, 64) => unary(d, a, |a: u64| a.reverse_bits()),
                    (O::Brev, 32) => unary(d, a, |a: u32| a.reverse_bits()),
                    (O::Bfind, 32 | 64) => {
                        let amount = one.has(M::ShiftAmount);
                        unary(d, a, move |a: u64| bits::bfind(a, width, signed, amount))
                    }
                    _ => return refuse(line, ""),
                })
            }
            2 => {
                let sources = self.sources(scope, operands, ty, line)?;
                if one.opcode == O::Mul24 {
                    return Ok(binary(d, sources, move |a: u32, b: u32| integer::mul24(a, b, signed, hi)));
                }
                if matches!(one.opcode, O::And | O::Or | O::Xor) {
                    return Ok(match one.opcode {
                        O::And => binary(d, sources, |a: u64, b: u64| a & b),
                        O::Or => binary(d, sources, |a: u64, b: u64| a | b),
                        _ => binary(d, sources, |a: u64, b: u64| a ^ b),
                    });
                }
                Ok(integers!(ty, line, |T| match one.opcode {
                    O::Add if sat => binary(d, sources, |a: T, b: T| a.add_sat(b)),
                    O::Sub if sat => binary(d, sources, |a: T, b: T| a.sub_sat(b)),
                    O::Add => binary(d, sources, |a: T, b: T| Integer::add(a, b)),
                    O::Sub => binary(d, sources, |a: T, b: T| Integer::sub(a, b)),
                    O::Mul if hi => binary(d, sources, |a: T, b: T| a.mul_hi(b)),
                    O::Mul => binary(d, sources, |a: T, b: T| Integer::mul(a, b)),
                    O::Div => binary(d, sources, |a: T, b: T| Integer::div(a, b)),
                    O::Rem => binary(d, sources, |a: T, b: T| Integer::rem(a, b)),
                    O::Min if !one.has(M::Relu) => binary(d, sources, |a: T, b: T| a.min(b)),
                    O::Max if !one.has(M::Relu) => binary(d, sources, |a: T, b: T| a.max(b)),
                    _ => return refuse(line, ""),
                }))
            }
            3 => {
                let sources = self.sources(scope, operands, ty, line)?;
                let wrap = one.has(M::Wrap);
                Ok(match one.opcode {
                    O::Mad if hi => integers!(ty, line, |T| ternary(d, sources, |a: T, b: T, c: T| {
                        Integer::add(a.mul_hi(b), c)
                    })),
                    O::Mad => integers!(ty, line, |T| ternary(d, sources, |a: T, b: T, c: T| {
                        Integer::add(Integer::mul(a, b), c)
                    })),
                    O::Sad => integers!(ty, line, |T| ternary(d, sources, |a: T, b: T, c: T| {
                        Integer::add(a.difference(b), c)
                    })),
                    O::Mad24 => ternary(d, sources, move |a: u32, b: u32, c: u32| {
                        integer::mul24(a, b, signed, hi).wrapping_add(c)
                    }),
                    O::Fns => ternary(d, sources, |a: u32, b: u32, c: i32| bits::fns(a, b, c)),
                    O::Prmt => {
                        let mode = permutation(one);
                        ternary(d, sources, move |a: u32, b: u32, c: u32| bits::prmt(a, b, c, mode))
                    }
                    O::Shf => {
                        let left = one.has(M::Left);
                        ternary(d, sources, move |a: u32, b: u32, c: u32| bits::shf(a, b, c, left, wrap))
                    }
                    _ => return refuse(line, ""),
                })
            }
            _ => refuse(line, ""),
        }
    }

    fn float(&mut self, scope: &Scope<'m>, one: &Instruction, d: u32, ty: Type) -> Decoded<Compute> {
        let line = one.line;
        let ftz = one.has(M::Ftz);
        if one.has(M::Relu) {
            return refuse(line, "");
        }
        let mode = Mode { rounding: rounding(one).unwrap_or(Rounding::Nearest), ftz, sat: one.has(M::Sat) };
        let is_approximate = one.has(M::Approx) || one.has(M::Full);
        let operands = one.sources();
        let is_fast = mode.is_plain();
        if one.opcode == O::Testp {
            let [a] = self.sources(scope, operands, ty, line)?;
            let property = property(one).map_or_else(|| refuse(line, ""), Ok)?;
            return Ok(reals!(ty, line, |T| test(d, a, move |a: T| float::has(a, property))));
        }
        if one.opcode == O::Slct {
            return refuse(line, "");
        }
        match operands.len() {
            1 => {
                let [a] = self.sources(scope, operands, ty, line)?;
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
                        Type::F32 => Ok(unary(d, a, move |a: f32| approximate::of_f32(a, function, ftz))),
                        Type::F64 => Ok(unary(d, a, move |a: f64| {
                            approximate::of_f64(if ftz { a.flushed() } else { a }, function)
                        })),
                        _ => refuse(line, ""),
                    };
                }
                Ok(reals!(ty, line, |T| match one.opcode {
                    O::Neg => unary(d, a, move |a: T| (if ftz { a.flushed() } else { a }).negative()),
                    O::Abs => unary(d, a, move |a: T| (if ftz { a.flushed() } else { a }).absolute()),
                    O::Rcp => unary(d, a, move |a: T| float::div(T::ONE, a, mode)),
                    O::Sqrt => unary(d, a, move |a: T| float::sqrt(a, mode)),
                    _ => return refuse(line, ""),
                }))
            }
            2 => {
                let sources = self.sources(scope, operands, ty, line)?;
                let extremum = |max| Extremum { max, nan: one.has(M::NaN), xorsign: one.has(M::XorSign), ftz };
                Ok(reals!(ty, line, |T| match one.opcode {
                    O::Add if is_fast => binary(d, sources, |a: T, b: T| a.plus(b).canonical()),
                    O::Sub if is_fast => binary(d, sources, |a: T, b: T| a.plus(b.negative()).canonical()),
                    O::Mul if is_fast => binary(d, sources, |a: T, b: T| a.times(b).canonical()),
                    O::Add => binary(d, sources, move |a: T, b: T| float::add(a, b, mode)),
                    O::Sub => binary(d, sources, move |a: T, b: T| float::add(a, b.negative(), mode)),
                    O::Mul => binary(d, sources, move |a: T, b: T| float::mul(a, b, mode)),
                    O::Div => binary(d, sources, move |a: T, b: T| float::div(a, b, mode)),
                    O::Copysign => binary(d, sources, |a: T, b: T| b.signed_as(a)),
                    O::Min => {
                        let how = extremum(false);
                        binary(d, sources, move |a: T, b: T| float::extremum(a, b, how))
                    }
                    O::Max => {
                        let how = extremum(true);
                        binary(d, sources, move |a: T, b: T| float::extremum(a, b, how))
                    }
                    _ => return refuse(line, ""),
                }))
            }
            3 if matches!(one.opcode, O::Fma | O::Mad) => {
                let sources = self.sources(scope, operands, ty, line)?;
                Ok(reals!(ty, line, |T| ternary(d, sources, move |a: T, b: T, c: T| float::fma(a, b, c, mode))))
            }
            _ => refuse(line, ""),
        }
    }
}

/// The destination of a comparison's result.
enum Goal {
    Predicate(Option<u32>, Option<u32>),
    Value(u32, u64),
}

fn compare(line: u32, what: &Comparing, goal: Goal) -> Decoded<Compute> {
    fn make<T: crate::alu::Lane>(
        what: &Comparing,
        goal: &Goal,
        f: impl Fn(T, T) -> bool + Send + Sync + 'static,
    ) -> Compute {
        match *goal {
            Goal::Predicate(p, q) => set_predicate(p, q, what.sources, what.combine, f),
            Goal::Value(d, yes) => set_value(d, yes, what.sources, what.combine, f),
        }
    }
    let Some([less, equal, greater, unordered]) = holds(what.comparison) else { return refuse(line, "") };
    let ftz = what.ftz;
    if what.ty.kind() == Kind::Float {
        return Ok(reals!(what.ty, line, |T| make(what, &goal, move |a: T, b: T| {
            let (a, b) = if ftz { (a.flushed(), b.flushed()) } else { (a, b) };
            a < b && less || a == b && equal || a > b && greater || unordered && (a.is_nan() || b.is_nan())
        })));
    }
    if unordered || matches!(what.comparison, M::Num) {
        return refuse(line, "");
    }
    Ok(integers!(what.ty, line, |T| match (less, equal, greater) {
        (true, false, false) => make(what, &goal, |a: T, b: T| a < b),
        (true, true, false) => make(what, &goal, |a: T, b: T| a <= b),
        (false, false, true) => make(what, &goal, |a: T, b: T| a > b),
        (false, true, true) => make(what, &goal, |a: T, b: T| a >= b),
        (false, true, false) => make(what, &goal, |a: T, b: T| a == b),
        _ => make(what, &goal, |a: T, b: T| a != b),
    }))
}

/// Logic of predicates.
fn logic(scope: &Scope<'_>, one: &Instruction, d: u32) -> Decoded<Compute> {
    let line = one.line;
    match (one.opcode, one.sources()) {
        (O::Not, [a]) => Ok(predicates(d, [scope.condition(a, line)?], |[a]| !a)),
        (O::And | O::Or | O::Xor, [a, b]) => {
            let conditions = [scope.condition(a, line)?, scope.condition(b, line)?];
            let combine = match one.opcode {
                O::And => Combine::And,
                O::Or => Combine::Or,
                _ => Combine::Xor,
            };
            Ok(predicates(d, conditions, move |[a, b]| combine.apply(a, b)))
        }
        _ => refuse(line, ""),
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
