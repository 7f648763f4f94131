//! Loads, stores, atomics.

use ikra_ptx::{
    Base, Instruction, Kind, Modifier as M, Opcode as O, Operand, Type,
    alu::{Lane, bits::extended, float::Real},
};

use super::{Decoded, Decoder, Scope, Symbol, refuse, semantics};
use crate::{
    code::{Access, Action, Atomic, Element, Space, Update},
    compute::{self, Compute},
    registers::{Registers, Source},
};

fn space(one: &Instruction) -> Decoded<Space> {
    Ok(match one.space() {
        None => Space::Generic,
        Some(M::Global) => Space::Global,
        Some(M::Shared | M::SharedCta) => Space::Shared,
        Some(M::Local) => Space::Local,
        Some(M::Const) => Space::Constant,
        Some(M::Param | M::ParamEntry | M::ParamFunc) => Space::Parameter,
        Some(_) => return refuse(one.line, ""),
    })
}

/// The operands of a vector, or the only one.
fn elements(operand: &Operand) -> &[Operand] {
    match operand {
        Operand::Vector(all) => all,
        one => std::slice::from_ref(one),
    }
}

/// Several computations in sequence.
fn together(all: Vec<Compute>) -> Compute {
    Box::new(move |registers: &mut Registers, active| all.iter().for_each(|one| one(registers, active)))
}

impl<'m> Decoder<'m> {
    pub(super) fn load(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let (Some(ty), Some((base, offset))) = (one.ty(), one.memory()) else { return refuse(line, "") };
        let (space, width) = (space(one)?, ty.bytes() as usize);
        let to = elements(&one.operands[0]);
        if width > 8 || to.len() != one.vector() || width * to.len() > 32 {
            return refuse(line, "");
        }
        let mut all = Vec::new();
        for operand in to {
            let bits = scope.bits(operand);
            let extend = (ty.kind() == Kind::Signed && bits > ty.bits()).then_some((ty.bits(), bits));
            all.push(Element { to: scope.destination(operand, line)?, from: Source::Row(0), extend });
        }
        if space == Space::Parameter
            && let Base::Symbol(name) = base
        {
            let symbol = scope.symbols.get(name.as_str()).copied();
            let at = usize::try_from(offset).map_or_else(|_| refuse(line, "an address before a parameter"), Ok)?;
            let mut computes = Vec::new();
            for (n, element) in all.iter().enumerate() {
                let at = at + n * width;
                let Some(to) = element.to else { continue };
                let extend = element.extend;
                let within = |bytes: usize| {
                    if at + width <= bytes && at % width == 0 {
                        Ok(())
                    } else {
                        refuse(line, "an address out of a parameter")
                    }
                };
                computes.push(match symbol {
                    Some(Symbol::Argument(start, bytes)) => {
                        within(bytes)?;
                        if start % width != 0 {
                            return refuse(line, "a parameter that is not aligned");
                        }
                        compute::argument(to, start + at, width, move |value| extended(value, extend))
                    }
                    Some(Symbol::Rows(row, bytes)) => {
                        within(bytes)?;
                        compute::from_parameter(to, row, at, width, move |value| extended(value, extend))
                    }
                    _ => return refuse(line, format!("there is no parameter `{name}`")),
                });
            }
            return Ok(Action::Parameter { compute: together(computes), width: width * to.len(), stores: false });
        }
        let address = self.address(scope, base, offset, line)?;
        Ok(Action::Load(Access { space, address, width, semantics: semantics(one, false), elements: all }))
    }

    pub(super) fn store(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let (Some(ty), Some((base, offset))) = (one.ty(), one.memory()) else { return refuse(line, "") };
        let (space, width) = (space(one)?, ty.bytes() as usize);
        let from = elements(&one.operands[1]);
        if width > 8 || from.len() != one.vector() || width * from.len() > 32 {
            return refuse(line, "");
        }
        let mut all = Vec::new();
        for operand in from {
            all.push(Element { to: None, from: self.source(scope, operand, ty, line)?, extend: None });
        }
        if space == Space::Parameter {
            let Base::Symbol(name) = base else { return refuse(line, "") };
            let Some(Symbol::Rows(row, bytes)) = scope.symbols.get(name.as_str()).copied() else {
                return refuse(line, format!("there is no parameter of a call or function `{name}`"));
            };
            let at = usize::try_from(offset).map_or_else(|_| refuse(line, "an address before a parameter"), Ok)?;
            if at + width * from.len() > bytes || at % width != 0 {
                return refuse(line, "an address out of a parameter");
            }
            let computes = all
                .iter()
                .enumerate()
                .map(|(n, element)| compute::to_parameter(row, at + n * width, width, element.from));
            let compute = together(computes.collect());
            return Ok(Action::Parameter { compute, width: width * from.len(), stores: true });
        }
        let address = self.address(scope, base, offset, line)?;
        Ok(Action::Store(Access { space, address, width, semantics: semantics(one, false), elements: all }))
    }

    pub(super) fn atomic(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Action> {
        let line = one.line;
        let (Some(ty), Some((base, offset))) = (one.ty(), one.memory()) else { return refuse(line, "") };
        let to = if one.opcode == O::Atom { scope.destination(&one.operands[0], line)? } else { None };
        let sources = &one.operands[if one.opcode == O::Atom { 2 } else { 1 }..];
        let first = self.source(scope, &sources[0], ty, line)?;
        let second = match sources.get(1) {
            Some(second) => self.source(scope, second, ty, line)?,
            None => first,
        };
        let Some(update) = update(one, ty) else { return refuse(line, "") };
        let address = self.address(scope, base, offset, line)?;
        Ok(Action::Atomic(Box::new(Atomic {
            space: space(one)?,
            address,
            width: ty.bytes() as usize,
            semantics: semantics(one, true),
            to,
            operands: [first, second],
            update,
        })))
    }
}

/// The function of the old value in an atomic operation.
fn update(one: &Instruction, ty: Type) -> Option<Update> {
    fn of<T: Lane>(f: impl Fn(T, T) -> T + Send + Sync + 'static) -> Update {
        Box::new(move |a, b, _| f(T::from_lane(a), T::from_lane(b)).into_lane())
    }
    let operation = one.modifiers.iter().copied().find(|modifier| modifier.class() == ikra_ptx::Class::Operation)?;
    Some(match (operation, ty) {
        (M::Exch, Type::B32 | Type::B64) => Box::new(|_, b, _| b),
        (M::Cas, Type::B16 | Type::B32 | Type::B64 | Type::U32 | Type::U64) => {
            Box::new(|a, b, c| if a == b { c } else { a })
        }
        (M::And, Type::B32 | Type::B64) => Box::new(|a, b, _| a & b),
        (M::Or, Type::B32 | Type::B64) => Box::new(|a, b, _| a | b),
        (M::Xor, Type::B32 | Type::B64) => Box::new(|a, b, _| a ^ b),
        (M::Add, Type::U32 | Type::S32) => of(u32::wrapping_add),
        (M::Add, Type::U64 | Type::S64) => of(u64::wrapping_add),
        (M::Add, Type::F32) => of(|a: f32, b: f32| (a + b).canonical()),
        (M::Add, Type::F64) => of(|a: f64, b: f64| a + b),
        (M::Min, Type::U32) => of(u32::min),
        (M::Min, Type::S32) => of(i32::min),
        (M::Min, Type::U64) => of(u64::min),
        (M::Min, Type::S64) => of(i64::min),
        (M::Max, Type::U32) => of(u32::max),
        (M::Max, Type::S32) => of(i32::max),
        (M::Max, Type::U64) => of(u64::max),
        (M::Max, Type::S64) => of(i64::max),
        (M::Inc, Type::U32) => of(|a: u32, b: u32| if a >= b { 0 } else { a + 1 }),
        (M::Dec, Type::U32) => of(|a: u32, b: u32| if a == 0 || a > b { b } else { a - 1 }),
        _ => return None,
    })
}
