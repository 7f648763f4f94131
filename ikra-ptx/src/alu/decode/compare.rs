//! Comparisons.

use super::{integers, reals};
use crate::{
    Instruction, Kind, Modifier as M, Opcode as O, Type,
    alu::{Combine, Lane, Made, float::Real, machine::Machine, sources},
};

/// A comparison of two values that may not be ordered.
fn comparison(one: &Instruction) -> Option<M> {
    one.modifiers.iter().copied().find(|modifier| modifier.class() == crate::Class::Comparison)
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
struct Comparing<X: Machine> {
    comparison: M,
    ty: Type,
    ftz: bool,
    sources: [X::Source; 2],
    combine: Option<(Combine, X::Condition)>,
}

/// `setp` and `set`.
pub(super) fn compare<X: Machine>(m: &mut X, one: &Instruction) -> Made<X> {
    let ty = one.types().last();
    let (Some(comparison), Some(ty)) = (comparison(one), ty) else { return m.refuse() };
    let operands = one.sources();
    let combine = match (operands.get(2), one.has(M::And), one.has(M::Or), one.has(M::Xor)) {
        (None, false, false, false) => None,
        (Some(with), true, false, false) => Some((Combine::And, m.condition(with)?)),
        (Some(with), false, true, false) => Some((Combine::Or, m.condition(with)?)),
        (Some(with), false, false, true) => Some((Combine::Xor, m.condition(with)?)),
        _ => return m.refuse(),
    };
    let sources = sources(m, &operands[..2], ty)?;
    let what = Comparing { comparison, ty, ftz: one.has(M::Ftz), sources, combine };
    if one.opcode == O::Setp {
        let to = m.pair(&one.operands[0])?;
        return make(m, &what, &Goal::Predicate(to));
    }
    let d = m.target(&one.operands[0])?;
    let yes = match one.ty() {
        Some(Type::F32) => u64::from(1f32.to_bits()),
        Some(Type::U32 | Type::S32 | Type::B32) => 0xffff_ffff,
        _ => return m.refuse(),
    };
    make(m, &what, &Goal::Value(d, yes))
}

/// The destination of a comparison's result.
enum Goal<X: Machine> {
    Predicate([Option<X::Target>; 2]),
    Value(X::Target, u64),
}

fn make<X: Machine>(m: &mut X, what: &Comparing<X>, goal: &Goal<X>) -> Made<X> {
    fn with<X: Machine, T: Lane>(
        m: &mut X,
        what: &Comparing<X>,
        goal: &Goal<X>,
        f: impl Fn(T, T) -> bool + Send + Sync + 'static,
    ) -> X::Made {
        match *goal {
            Goal::Predicate(to) => m.set_predicate(to, what.sources, what.combine, f),
            Goal::Value(d, yes) => m.set_value(d, yes, what.sources, what.combine, f),
        }
    }
    let Some([less, equal, greater, unordered]) = holds(what.comparison) else { return m.refuse() };
    let ftz = what.ftz;
    if what.ty.kind() == Kind::Float {
        return Ok(reals!(what.ty, m.refuse(), |T| with(m, what, goal, move |a: T, b: T| {
            let (a, b) = if ftz { (a.flushed(), b.flushed()) } else { (a, b) };
            a < b && less || a == b && equal || a > b && greater || unordered && (a.is_nan() || b.is_nan())
        })));
    }
    if unordered || matches!(what.comparison, M::Num) {
        return m.refuse();
    }
    Ok(integers!(what.ty, m.refuse(), |T| match (less, equal, greater) {
        (true, false, false) => with(m, what, goal, |a: T, b: T| a < b),
        (true, true, false) => with(m, what, goal, |a: T, b: T| a <= b),
        (false, false, true) => with(m, what, goal, |a: T, b: T| a > b),
        (false, true, true) => with(m, what, goal, |a: T, b: T| a >= b),
        (false, true, false) => with(m, what, goal, |a: T, b: T| a == b),
        _ => with(m, what, goal, |a: T, b: T| a != b),
    }))
}
