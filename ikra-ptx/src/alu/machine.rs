//! What is made of an instruction's function.

use super::{Combine, Lane};
use crate::{Operand, Type};

/// Makes something of the functions of instructions: see [`decode`](super::decode::decode).
pub trait Machine {
    /// A value that is read.
    type Source: Copy;
    /// A predicate that is read.
    type Condition: Copy;
    /// A register that is written.
    type Target: Copy;
    /// What an instruction becomes.
    type Made;
    /// The reason why it does not.
    type Error;

    /// The instruction, or an operand, is not supported.
    ///
    /// # Errors
    ///
    /// Always.
    fn refuse<T>(&self) -> Result<T, Self::Error>;
    /// A value that is read, of a type.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn source(&mut self, operand: &Operand, ty: Type) -> Result<Self::Source, Self::Error>;
    /// A predicate that is read.
    ///
    /// # Errors
    ///
    /// If there is none.
    fn condition(&mut self, operand: &Operand) -> Result<Self::Condition, Self::Error>;
    /// A register that is written.
    ///
    /// # Errors
    ///
    /// If the operand is not a register.
    fn target(&mut self, operand: &Operand) -> Result<Self::Target, Self::Error>;
    /// The registers of `p|q`, or of `p`; none for `_`.
    ///
    /// # Errors
    ///
    /// If the operand is neither.
    fn pair(&mut self, operand: &Operand) -> Result<[Option<Self::Target>; 2], Self::Error>;
    /// The bits of the register that an operand is.
    fn bits(&self, operand: &Operand) -> u32;

    /// `d = f(a)`
    fn unary<A: Lane, R: Lane>(
        &mut self,
        d: Self::Target,
        a: Self::Source,
        f: impl Fn(A) -> R + Send + Sync + 'static,
    ) -> Self::Made;
    /// `d = f(a, b)`
    fn binary<A: Lane, B: Lane, R: Lane>(
        &mut self,
        d: Self::Target,
        sources: [Self::Source; 2],
        f: impl Fn(A, B) -> R + Send + Sync + 'static,
    ) -> Self::Made;
    /// `d = f(a, b, c)`
    fn ternary<A: Lane, B: Lane, C: Lane, R: Lane>(
        &mut self,
        d: Self::Target,
        sources: [Self::Source; 3],
        f: impl Fn(A, B, C) -> R + Send + Sync + 'static,
    ) -> Self::Made;
    /// `d = f(a, b, c, e)`
    fn quaternary<A: Lane, R: Lane>(
        &mut self,
        d: Self::Target,
        sources: [Self::Source; 4],
        f: impl Fn(A, A, A, A) -> R + Send + Sync + 'static,
    ) -> Self::Made;
    /// `setp`: `p = f(a, b) op c`, and `q = !f(a, b) op c`.
    fn set_predicate<A: Lane>(
        &mut self,
        to: [Option<Self::Target>; 2],
        sources: [Self::Source; 2],
        combine: Option<(Combine, Self::Condition)>,
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> Self::Made;
    /// `set`: `yes` where `f(a, b) op c` holds, 0 elsewhere.
    fn set_value<A: Lane>(
        &mut self,
        d: Self::Target,
        yes: u64,
        sources: [Self::Source; 2],
        combine: Option<(Combine, Self::Condition)>,
        f: impl Fn(A, A) -> bool + Send + Sync + 'static,
    ) -> Self::Made;
    /// `selp`
    fn select(&mut self, d: Self::Target, sources: [Self::Source; 2], condition: Self::Condition) -> Self::Made;
    /// A function of predicates, one bit per lane.
    fn predicates<const N: usize>(
        &mut self,
        d: Self::Target,
        conditions: [Self::Condition; N],
        f: impl Fn([u32; N]) -> u32 + Send + Sync + 'static,
    ) -> Self::Made;
    /// `add.cc` and its like: `f(a, b, carry)` gives the result and the carry. The carry is 0 unless the instruction
    /// takes it, and is written if the instruction gives it.
    fn carry<A: Lane>(
        &mut self,
        d: Self::Target,
        sources: [Self::Source; 2],
        takes: bool,
        gives: bool,
        f: impl Fn(A, A, bool) -> (A, bool) + Send + Sync + 'static,
    ) -> Self::Made;
}
