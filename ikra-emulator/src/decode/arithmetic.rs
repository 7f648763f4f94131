//! Instructions that only read and write registers.

use ikra_ptx::{
    Instruction, Modifier as M, Opcode as O, Operand, Type,
    alu::{Combine, Lane, decode, machine::Machine},
};

use super::{Decoded, Decoder, Scope, refuse};
use crate::{
    code::CARRY,
    compute::{self, Compute, Condition, binary, test, unary},
    memory::window,
    program::LoadError,
    registers::Source,
};

impl<'m> Decoder<'m> {
    pub(super) fn arithmetic(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Compute> {
        if matches!(one.opcode, O::Isspacep | O::Cvta) {
            return self.spaces(scope, one);
        }
        decode::decode(&mut Lanes { decoder: self, scope, line: one.line }, one)
    }

    fn spaces(&mut self, scope: &Scope<'m>, one: &Instruction) -> Decoded<Compute> {
        let line = one.line;
        let d = scope.written(&one.operands[0], line)?;
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
}

/// Makes closures over the lanes of a warp.
struct Lanes<'d, 'm> {
    decoder: &'d mut Decoder<'m>,
    scope: &'d Scope<'m>,
    line: u32,
}

impl Machine for Lanes<'_, '_> {
    type Source = Source;
    type Condition = Condition;
    type Target = u32;
    type Made = Compute;
    type Error = LoadError;

    fn refuse<T>(&self) -> Decoded<T> {
        refuse(self.line, "")
    }

    fn source(&mut self, operand: &Operand, ty: Type) -> Decoded<Source> {
        self.decoder.source(self.scope, operand, ty, self.line)
    }

    fn condition(&mut self, operand: &Operand) -> Decoded<Condition> {
        self.scope.condition(operand, self.line)
    }

    fn target(&mut self, operand: &Operand) -> Decoded<u32> {
        self.scope.written(operand, self.line)
    }

    fn pair(&mut self, operand: &Operand) -> Decoded<[Option<u32>; 2]> {
        self.scope.pair(operand, self.line).map(|(p, q)| [p, q])
    }

    fn bits(&self, operand: &Operand) -> u32 {
        self.scope.bits(operand)
    }

    fn unary<A: Lane, R: Lane>(&mut self, d: u32, a: Source, f: impl Fn(A) -> R + Send + Sync + 'static) -> Compute {
        unary(d, a, f)
    }

    fn binary<A: Lane, B: Lane, R: Lane>(
        &mut self,
        d: u32,
        sources: [Source; 2],
        f: impl Fn(A, B) -> R + Send + Sync + 'static,
    ) -> Compute {
        binary(d, sources, f)
    }

    fn ternary<A: Lane, B: Lane, C: Lane, R: Lane>(
        &mut self,
        d: u32,
        sources: [Source; 3],
        f: impl Fn(A, B, C) -> R + Send + Sync + 'static,
    ) -> Compute {
        compute::ternary(d, sources, f)
    }

    fn quaternary<A: Lane, R: Lane>(
        &mut self,
        d: u32,
        sources: [Source; 4],
        f: impl Fn(A, A, A, A) -> R + Send + Sync + 'static,
    ) -> Compute {
        compute::quaternary(d, sources, f)
    }

    fn set_predicate<A: Lane>(
        &mut self,
        [p, q]: [Option<u32>; 2],
        sources: [Source; 2],
        combine: Option<(Combine, Condition)>,
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> Compute {
        compute::set_predicate(p, q, sources, combine, f)
    }

    fn set_value<A: Lane>(
        &mut self,
        d: u32,
        yes: u64,
        sources: [Source; 2],
        combine: Option<(Combine, Condition)>,
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> Compute {
        compute::set_value(d, yes, sources, combine, f)
    }

    fn select(&mut self, d: u32, sources: [Source; 2], condition: Condition) -> Compute {
        compute::select(d, sources, condition)
    }

    fn predicates<const N: usize>(
        &mut self,
        d: u32,
        conditions: [Condition; N],
        f: impl Fn([u32; N]) -> u32 + Send + Sync + 'static,
    ) -> Compute {
        compute::predicates(d, conditions, f)
    }

    fn carry<A: Lane>(
        &mut self,
        d: u32,
        sources: [Source; 2],
        takes: bool,
        gives: bool,
        f: impl Fn(A, A, bool) -> (A, bool) + Send + Sync + 'static,
    ) -> Compute {
        compute::carry(d, sources, CARRY, takes, gives, f)
    }
}
