//! The arithmetic of instructions for known operands: what the emulator makes closures of, is computed here.

use super::fold::Folder;
use crate::{
    Operand, Register, Type,
    alu::{Combine, Lane, machine::Machine},
};

/// The result is not known.
#[derive(Debug)]
pub(super) struct Unknown;

pub(super) type Results = Vec<(Register, u64)>;

/// Computes results.
pub(super) struct Evaluated<'e, 'r, 'd> {
    pub(super) folder: &'e Folder<'r, 'd>,
}

/// All bits of a predicate in the form of one bit per lane.
fn mask(holds: bool) -> u32 {
    if holds { u32::MAX } else { 0 }
}

fn result(d: Option<Register>, value: u64) -> Results {
    d.map(|d| (d, value)).into_iter().collect()
}

impl Evaluated<'_, '_, '_> {
    fn compared(holds: bool, combine: Option<(Combine, bool)>) -> [bool; 2] {
        [holds, !holds].map(|holds| match combine {
            None => holds,
            Some((how, with)) => how.apply(mask(holds), mask(with)) != 0,
        })
    }
}

impl Machine for Evaluated<'_, '_, '_> {
    type Source = u64;
    type Condition = bool;
    type Target = Option<Register>;
    type Made = Results;
    type Error = Unknown;

    fn refuse<T>(&self) -> Result<T, Unknown> {
        Err(Unknown)
    }

    fn source(&mut self, operand: &Operand, ty: Type) -> Result<u64, Unknown> {
        self.folder.bits_of(operand, ty).ok_or(Unknown)
    }

    fn condition(&mut self, operand: &Operand) -> Result<bool, Unknown> {
        self.folder.predicate(operand).ok_or(Unknown)
    }

    fn target(&mut self, operand: &Operand) -> Result<Option<Register>, Unknown> {
        match operand {
            Operand::Register(register) => Ok(Some(*register)),
            _ => Err(Unknown),
        }
    }

    fn pair(&mut self, operand: &Operand) -> Result<[Option<Option<Register>>; 2], Unknown> {
        match operand {
            Operand::Pair(p, q) => Ok([p.map(Some), q.map(Some)]),
            Operand::Register(p) => Ok([Some(Some(*p)), None]),
            _ => Err(Unknown),
        }
    }

    fn bits(&self, operand: &Operand) -> u32 {
        operand.register().map_or(64, |register| self.folder.body.ty(register).bits())
    }

    fn unary<A: Lane, R: Lane>(
        &mut self,
        d: Option<Register>,
        a: u64,
        f: impl Fn(A) -> R + Send + Sync + 'static,
    ) -> Results {
        result(d, f(A::from_lane(a)).into_lane())
    }

    fn binary<A: Lane, B: Lane, R: Lane>(
        &mut self,
        d: Option<Register>,
        [a, b]: [u64; 2],
        f: impl Fn(A, B) -> R + Send + Sync + 'static,
    ) -> Results {
        result(d, f(A::from_lane(a), B::from_lane(b)).into_lane())
    }

    fn ternary<A: Lane, B: Lane, C: Lane, R: Lane>(
        &mut self,
        d: Option<Register>,
        [a, b, c]: [u64; 3],
        f: impl Fn(A, B, C) -> R + Send + Sync + 'static,
    ) -> Results {
        result(d, f(A::from_lane(a), B::from_lane(b), C::from_lane(c)).into_lane())
    }

    fn quaternary<A: Lane, R: Lane>(
        &mut self,
        d: Option<Register>,
        sources: [u64; 4],
        f: impl Fn(A, A, A, A) -> R + Send + Sync + 'static,
    ) -> Results {
        let [a, b, c, e] = sources.map(A::from_lane);
        result(d, f(a, b, c, e).into_lane())
    }

    fn set_predicate<A: Lane>(
        &mut self,
        to: [Option<Option<Register>>; 2],
        [a, b]: [u64; 2],
        combine: Option<(Combine, bool)>,
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> Results {
        let both = Self::compared(f(A::from_lane(a), A::from_lane(b)), combine);
        to.into_iter().zip(both).filter_map(|(to, holds)| Some((to.flatten()?, u64::from(holds)))).collect()
    }

    fn set_value<A: Lane>(
        &mut self,
        d: Option<Register>,
        yes: u64,
        [a, b]: [u64; 2],
        combine: Option<(Combine, bool)>,
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> Results {
        let [holds, _] = Self::compared(f(A::from_lane(a), A::from_lane(b)), combine);
        result(d, if holds { yes } else { 0 })
    }

    fn select(&mut self, d: Option<Register>, [a, b]: [u64; 2], condition: bool) -> Results {
        result(d, if condition { a } else { b })
    }

    fn predicates<const N: usize>(
        &mut self,
        d: Option<Register>,
        conditions: [bool; N],
        f: impl Fn([u32; N]) -> u32 + Send + Sync + 'static,
    ) -> Results {
        result(d, u64::from(f(conditions.map(mask)) & 1))
    }

    fn carry<A: Lane>(
        &mut self,
        d: Option<Register>,
        [a, b]: [u64; 2],
        _takes: bool,
        _gives: bool,
        f: impl Fn(A, A, bool) -> (A, bool) + Send + Sync + 'static,
    ) -> Results {
        // Instructions with a carry are never pure, so they do not come here.
        result(d, f(A::from_lane(a), A::from_lane(b), false).0.into_lane())
    }
}
