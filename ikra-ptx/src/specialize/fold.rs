//! Results of instructions for known operands.

use super::{
    data::Data,
    exact::Evaluated,
    live,
    value::{Value, immediate, low},
};
use crate::{
    Body, Instruction, Kind, Modifier as M, Opcode as O, Operand, Register, Type,
    alu::{bits, decode::decode},
    program::{Base, Bits},
};

/// What becomes of an instruction.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Folded {
    /// Its results are known.
    Known(Vec<(Register, Value)>),
    /// Another instruction does the same with less.
    Simpler(Instruction),
    /// Nothing.
    No,
}

/// The known registers, and the data from which loads are known.
pub(super) struct Folder<'r, 'd> {
    pub(super) body: &'r Body,
    pub(super) known: &'r [Option<(Value, bool)>],
    pub(super) data: &'r Data<'d>,
}

impl Folder<'_, '_> {
    fn register(&self, register: Register) -> Option<Value> {
        self.known[register.0 as usize].map(|(value, _)| value)
    }

    /// The bits of an operand.
    pub(super) fn bits_of(&self, operand: &Operand, ty: Type) -> Option<u64> {
        match operand {
            Operand::Register(register) => self.register(*register)?.bits(),
            Operand::Integer(number) => Some(low(*number as u64, ty.bits())),
            Operand::Float(Bits::Single(bits)) if ty.bits() == 32 => Some(u64::from(*bits)),
            Operand::Float(Bits::Double(bits)) if ty.bits() == 64 => Some(*bits),
            _ => None,
        }
    }

    /// The value of an operand, addresses among them.
    fn value_of(&self, operand: &Operand, ty: Type) -> Option<Value> {
        match operand {
            Operand::Register(register) => self.register(*register),
            Operand::Symbol(name, at) => Some(Value::Address(self.data.number(name)?, *at)),
            operand => self.bits_of(operand, ty).map(Value::Bits),
        }
    }

    /// The value of a predicate.
    pub(super) fn predicate(&self, operand: &Operand) -> Option<bool> {
        match operand {
            Operand::Register(register) => self.register(*register)?.bits().map(|bits| bits & 1 == 1),
            Operand::Not(register) => self.register(*register)?.bits().map(|bits| bits & 1 == 0),
            Operand::Integer(number) => Some(*number != 0),
            _ => None,
        }
    }

    /// What becomes of an instruction, whose guard does not matter here.
    pub(super) fn fold(&self, one: &Instruction) -> Folded {
        match one.opcode {
            O::Ld | O::Ldu => return self.load(one).map_or(Folded::No, Folded::Known),
            O::Mov => return self.moved(one).map_or(Folded::No, Folded::Known),
            O::Cvta => return self.converted(one).map_or(Folded::No, Folded::Known),
            _ => {}
        }
        if !live::is_pure(one) || is_inexact(one) {
            return Folded::No;
        }
        if let Some(results) = self.computed(one) {
            return Folded::Known(results);
        }
        if let Some(results) = self.address(one) {
            return Folded::Known(results);
        }
        self.simpler(one)
    }

    /// The results of arithmetic whose operands are all known.
    fn computed(&self, one: &Instruction) -> Option<Vec<(Register, Value)>> {
        // Operands first: most instructions have an unknown one.
        let is_known = |operand: &Operand| match operand {
            Operand::Register(register) | Operand::Not(register) => self.register(*register)?.bits().map(drop),
            Operand::Integer(_) | Operand::Float(_) => Some(()),
            _ => None,
        };
        if one.sources().iter().any(|operand| is_known(operand).is_none()) {
            return None;
        }
        let is_zero = |operand: &Operand, ty| self.bits_of(operand, ty) == Some(0);
        let ty = one.ty()?;
        if matches!(one.opcode, O::Div | O::Rem) && ty.kind() != Kind::Float && is_zero(one.sources().last()?, ty) {
            // PTX leaves the result open.
            return None;
        }
        let from = one.types().last()?;
        if one.opcode == O::Cvt && one.sources().iter().any(|operand| self.is_nan(operand, from)) {
            return None;
        }
        let results = decode(&mut Evaluated { folder: self }, one).ok()?;
        let is_float = ty.kind() == Kind::Float && !matches!(one.opcode, O::Setp | O::Selp | O::Slct | O::Testp);
        let known = results.into_iter().map(|(register, value)| {
            // Devices differ in the bits of a NaN.
            if is_float && is_nan(value, ty) {
                return None;
            }
            Some((register, Value::Bits(low(value, self.body.ty(register).bits()))))
        });
        known.collect()
    }

    fn is_nan(&self, operand: &Operand, ty: Type) -> bool {
        self.bits_of(operand, ty).is_some_and(|bits| is_nan(bits, ty))
    }

    /// Sums of a known address and a known distance.
    fn address(&self, one: &Instruction) -> Option<Vec<(Register, Value)>> {
        let ty = one.ty().filter(|ty| ty.bits() == 64 && ty.kind() != Kind::Float)?;
        let (to, [a, b]) = (one.destination()?, one.sources()) else { return None };
        let (a, b) = (self.value_of(a, ty)?, self.value_of(b, ty)?);
        let sum = match (one.opcode, a, b) {
            (O::Add, base, Value::Bits(distance)) | (O::Add, Value::Bits(distance), base) => base.plus(distance),
            (O::Sub, base, Value::Bits(distance)) => base.plus(distance.wrapping_neg()),
            _ => return None,
        };
        Some(vec![(to, sum)])
    }

    /// `mov`
    fn moved(&self, one: &Instruction) -> Option<Vec<(Register, Value)>> {
        let (ty, [to, from]) = (one.ty()?, &one.operands[..]) else { return None };
        if ty == Type::Pred {
            return Some(vec![(to.register()?, Value::Bits(u64::from(self.predicate(from)?)))]);
        }
        if ty.bits() > 64 {
            return None;
        }
        if let Operand::Vector(parts) = to {
            let (whole, bits) = (self.bits_of(from, ty)?, ty.bits() / parts.len() as u32);
            let mut results = Vec::new();
            for (n, part) in parts.iter().enumerate() {
                match part {
                    Operand::Register(register) => {
                        results.push((*register, Value::Bits(bits::part(whole, n as u32, bits))));
                    }
                    Operand::Nothing => {}
                    _ => return None,
                }
            }
            return Some(results);
        }
        let to = to.register()?;
        if let Operand::Vector(parts) = from {
            let bits = ty.bits() / parts.len() as u32;
            let of = match bits {
                16 => Type::B16,
                32 => Type::B32,
                _ => return None,
            };
            let whole = parts.iter().enumerate().try_fold(0, |whole, (n, part)| {
                Some(bits::with_part(whole, self.bits_of(part, of)?, n as u32, bits))
            })?;
            return Some(vec![(to, Value::Bits(whole))]);
        }
        let value = match self.value_of(from, ty)? {
            Value::Bits(bits) => Value::Bits(low(bits, ty.bits())),
            address if ty.bits() == 64 => address,
            _ => return None,
        };
        Some(vec![(to, value)])
    }

    /// `cvta`
    fn converted(&self, one: &Instruction) -> Option<Vec<(Register, Value)>> {
        let (to, [from]) = (one.destination()?, one.sources()) else { return None };
        if one.ty()?.bits() != 64 {
            return None;
        }
        let space = one.space()?;
        let is_same = |symbol: u32| self.data.symbols[symbol as usize].space == space;
        let value = match self.value_of(from, Type::U64)? {
            // A generic address of global memory is the address itself, and those of other memory are not.
            Value::Bits(bits) if space == M::Global => Value::Bits(bits),
            Value::Address(symbol, at) if !one.has(M::To) && is_same(symbol) => Value::Generic(symbol, at),
            Value::Generic(symbol, at) if one.has(M::To) && is_same(symbol) => Value::Address(symbol, at),
            _ => return None,
        };
        Some(vec![(to, value)])
    }

    /// Loads of known bytes.
    fn load(&self, one: &Instruction) -> Option<Vec<(Register, Value)>> {
        if !live::is_plain(one) {
            return None;
        }
        let (ty, (base, offset)) = (one.ty()?, one.memory()?);
        let width = ty.bytes() as usize;
        if width > 8 || matches!(ty.kind(), Kind::Predicate) {
            return None;
        }
        let base = match base {
            Base::Register(register) => self.register(*register)?,
            Base::Symbol(name) => Value::Address(self.data.number(name)?, 0),
            Base::Zero => Value::Bits(0),
        };
        let elements = match &one.operands[0] {
            Operand::Vector(all) => all.as_slice(),
            one => std::slice::from_ref(one),
        };
        let whole = (width * elements.len()) as u64;
        let mut results = Vec::with_capacity(elements.len());
        for (n, element) in elements.iter().enumerate() {
            let value = match (base.plus(offset.cast_unsigned()), one.space()) {
                (Value::Bits(address), None | Some(M::Global)) if address % whole == 0 => {
                    self.data.at(address.checked_add((n * width) as u64)?, width)?
                }
                (Value::Address(symbol, at), Some(space))
                    if is_space(space, self.data.symbols[symbol as usize].space) =>
                {
                    self.data.of(symbol, at.checked_add((n * width) as i64)?, width)?
                }
                (Value::Generic(symbol, at), None) => {
                    self.data.of(symbol, at.checked_add((n * width) as i64)?, width)?
                }
                _ => return None,
            };
            let register = match element {
                Operand::Register(register) => *register,
                Operand::Nothing => continue,
                _ => return None,
            };
            let wide = self.body.ty(register).bits();
            let extend = (ty.kind() == Kind::Signed && wide > ty.bits()).then_some((ty.bits(), wide));
            results.push((register, Value::Bits(bits::extended(value, extend))));
        }
        Some(results)
    }

    /// Instructions that do the same as one of which some operands are known.
    fn simpler(&self, one: &Instruction) -> Folded {
        self.simple(one).unwrap_or(Folded::No)
    }

    fn simple(&self, one: &Instruction) -> Option<Folded> {
        let (ty, sources) = (one.ty()?, one.sources());
        let to = one.destination()?;
        let copy = |from: &Operand| {
            let from = from.clone();
            Folded::Simpler(keeping(one, super::value::copy(to, self.body.ty(to), from)))
        };
        let known = |bits: u64| Folded::Known(vec![(to, Value::Bits(low(bits, self.body.ty(to).bits())))]);
        if let (O::Selp, [a, b, p]) = (one.opcode, sources) {
            let chosen = if self.predicate(p)? { a } else { b };
            return Some(
                self.value_of(chosen, ty).map_or_else(|| copy(chosen), |value| Folded::Known(vec![(to, value)])),
            );
        }
        if ty == Type::Pred {
            let [a, b] = sources else { return None };
            let (value, other) = match (self.predicate(a), self.predicate(b)) {
                (Some(value), _) => (value, b),
                (_, Some(value)) => (value, a),
                _ => return None,
            };
            return match (one.opcode, value, other) {
                (O::And, false, _) => Some(known(0)),
                (O::Or, true, _) => Some(known(1)),
                (O::And, true, Operand::Register(_)) | (O::Or, false, Operand::Register(_)) => Some(copy(other)),
                _ => None,
            };
        }
        if let (O::Setp, [a, b, with]) = (one.opcode, sources) {
            let with = self.predicate(with)?;
            return match (one.has(M::And), one.has(M::Or), with) {
                (true, _, false) => Some(known(0)),
                (_, true, true) => Some(known(1)),
                (true, _, true) | (_, true, false) => {
                    let mut plain = one.clone();
                    plain.modifiers.retain(|&modifier| !matches!(modifier, M::And | M::Or));
                    plain.operands = vec![one.operands[0].clone(), a.clone(), b.clone()];
                    Some(Folded::Simpler(plain))
                }
                _ => None,
            };
        }
        if matches!(ty.kind(), Kind::Float | Kind::Packed) || one.has(M::Sat) {
            return None;
        }
        let bits = |operand: &Operand| self.bits_of(operand, ty);
        let ones = low(u64::MAX, ty.bits());
        let is_half = one.has(M::Hi) || one.has(M::Wide);
        match (one.opcode, sources) {
            (O::Add | O::Or | O::Xor, [a, b]) => match (bits(a), bits(b)) {
                (_, Some(all)) | (Some(all), _) if one.opcode == O::Or && all == ones => Some(known(ones)),
                (_, Some(0)) => Some(copy(a)),
                (Some(0), _) => Some(copy(b)),
                _ => None,
            },
            (O::Sub, [a, b]) if bits(b) == Some(0) => Some(copy(a)),
            // By at least all bits: nothing is left.
            (O::Shl | O::Shr, [a, b]) => match (bits(a), self.bits_of(b, Type::U32)) {
                (_, Some(0)) => Some(copy(a)),
                (Some(0), _) => Some(known(0)),
                (_, Some(by)) if by >= u64::from(ty.bits()) && (one.opcode == O::Shl || ty.kind() != Kind::Signed) => {
                    Some(known(0))
                }
                _ => None,
            },
            (O::And, [a, b]) => match (bits(a), bits(b)) {
                (Some(0), _) | (_, Some(0)) => Some(known(0)),
                (_, Some(all)) if all == ones => Some(copy(a)),
                (Some(all), _) if all == ones => Some(copy(b)),
                _ => None,
            },
            (O::Mul, [a, b]) => match (bits(a), bits(b)) {
                (Some(0), _) | (_, Some(0)) => Some(known(0)),
                (_, Some(1)) if !is_half => Some(copy(a)),
                (Some(1), _) if !is_half => Some(copy(b)),
                _ => None,
            },
            (O::Mad, [a, b, c]) => self.product_and(one, to, ty, [a, b, c]),
            _ => None,
        }
    }

    /// `mad` with a known factor or product.
    fn product_and(&self, one: &Instruction, to: Register, ty: Type, [a, b, c]: [&Operand; 3]) -> Option<Folded> {
        let is_wide = one.has(M::Wide);
        let wide = self.body.ty(to).bits();
        let sum = |a: Operand| {
            let ty = if wide == 64 {
                Type::S64
            } else if wide == 32 {
                Type::S32
            } else {
                Type::S16
            };
            Folded::Simpler(keeping(
                one,
                Instruction::new(O::Add, &[M::Type(ty)], vec![Operand::Register(to), a, c.clone()]),
            ))
        };
        let copy = || {
            self.value_of(c, if is_wide { self.body.ty(to) } else { ty }).map_or_else(
                || Folded::Simpler(keeping(one, super::value::copy(to, self.body.ty(to), c.clone()))),
                |value| Folded::Known(vec![(to, value)]),
            )
        };
        match (self.bits_of(a, ty), self.bits_of(b, ty)) {
            (Some(0), _) | (_, Some(0)) => Some(copy()),
            (Some(_), Some(_)) => {
                // The product alone, by the same rules.
                let mut product = one.clone();
                product.opcode = O::Mul;
                product.operands.pop();
                let product = self.computed(&product)?.first()?.1.bits()?;
                if let Some(address @ (Value::Address(..) | Value::Generic(..))) = self.value_of(c, Type::B64) {
                    return Some(Folded::Known(vec![(to, address.plus(product))]));
                }
                let number = immediate(
                    product,
                    match wide {
                        64 => Type::S64,
                        32 => Type::S32,
                        _ => Type::S16,
                    },
                )?;
                Some(if product == 0 { copy() } else { sum(number) })
            }
            (_, Some(1)) if !is_wide && !one.has(M::Hi) => Some(sum(a.clone())),
            (Some(1), _) if !is_wide && !one.has(M::Hi) => Some(sum(b.clone())),
            _ => None,
        }
    }
}

/// Another instruction in place of one.
fn keeping(one: &Instruction, mut new: Instruction) -> Instruction {
    new.guard = one.guard;
    new.line = one.line;
    new.location.clone_from(&one.location);
    new
}

/// Whether a space is the one of a variable.
fn is_space(named: M, space: M) -> bool {
    named == space || space == M::Param && matches!(named, M::ParamEntry)
}

/// Whether devices may give other bits than the arithmetic here.
fn is_inexact(one: &Instruction) -> bool {
    matches!(one.opcode, O::Sin | O::Cos | O::Ex2 | O::Lg2 | O::Tanh | O::Rsqrt | O::Isspacep)
        || one.has(M::Approx)
        || one.has(M::Full)
}

fn is_nan(bits: u64, ty: Type) -> bool {
    match ty {
        Type::F32 => f32::from_bits(bits as u32).is_nan(),
        Type::F64 => f64::from_bits(bits).is_nan(),
        Type::F16 => bits & 0x7fff > 0x7c00,
        Type::Bf16 => bits & 0x7fff > 0x7f80,
        _ => false,
    }
}
