//! Instructions that only read and write registers: each a closure over 32 lanes, made when the program is decoded.

use ikra_ptx::alu::{
    Combine, Lane,
    bits::{part as part_of, with_part},
};

use crate::registers::{ALL, Registers, Row, Source, lanes};

/// The effect of an instruction on the registers of the active lanes.
pub(crate) type Compute = Box<dyn Fn(&mut Registers, u32) + Send + Sync>;

/// With fewer lanes than this, each is computed alone.
const FEW: u32 = 8;

#[inline(always)]
fn fill(out: &mut Row, active: u32, f: impl Fn(usize) -> u64) {
    if active == ALL || active.count_ones() > FEW {
        // Inactive lanes are computed, too, so that the loop has no branches; their results are not used.
        for lane in 0..32 {
            out[lane] = f(lane);
        }
    } else {
        for lane in lanes(active) {
            out[lane] = f(lane);
        }
    }
}

/// `d = f(a)`
pub(crate) fn unary<A: Lane, R: Lane>(d: u32, a: Source, f: impl Fn(A) -> R + Send + Sync + 'static) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        let a = registers.get(a);
        fill(&mut out, active, |lane| f(A::from_lane(a[lane])).into_lane());
        registers.put(d, active, &out);
    })
}

/// `d = f(a, b)`
pub(crate) fn binary<A: Lane, B: Lane, R: Lane>(
    d: u32,
    [a, b]: [Source; 2],
    f: impl Fn(A, B) -> R + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        let (a, b) = (registers.get(a), registers.get(b));
        fill(&mut out, active, |lane| f(A::from_lane(a[lane]), B::from_lane(b[lane])).into_lane());
        registers.put(d, active, &out);
    })
}

/// `d = f(a, b, c)`
pub(crate) fn ternary<A: Lane, B: Lane, C: Lane, R: Lane>(
    d: u32,
    [a, b, c]: [Source; 3],
    f: impl Fn(A, B, C) -> R + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        let (a, b, c) = (registers.get(a), registers.get(b), registers.get(c));
        fill(&mut out, active, |lane| {
            f(A::from_lane(a[lane]), B::from_lane(b[lane]), C::from_lane(c[lane])).into_lane()
        });
        registers.put(d, active, &out);
    })
}

/// `d = f(a, b, c, e)`
pub(crate) fn quaternary<A: Lane, R: Lane>(
    d: u32,
    [a, b, c, e]: [Source; 4],
    f: impl Fn(A, A, A, A) -> R + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        let (a, b, c, e) = (registers.get(a), registers.get(b), registers.get(c), registers.get(e));
        fill(&mut out, active, |lane| {
            f(A::from_lane(a[lane]), A::from_lane(b[lane]), A::from_lane(c[lane]), A::from_lane(e[lane])).into_lane()
        });
        registers.put(d, active, &out);
    })
}

/// A predicate as an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Condition {
    /// Always the same.
    Constant(bool),
    /// A predicate, or its opposite.
    Predicate { row: u32, negated: bool },
}

impl Condition {
    #[inline(always)]
    pub(crate) fn mask(self, registers: &Registers) -> u32 {
        match self {
            Self::Constant(true) => ALL,
            Self::Constant(false) => 0,
            Self::Predicate { row, negated: false } => registers.mask(row),
            Self::Predicate { row, negated: true } => !registers.mask(row),
        }
    }
}

/// The lanes for which `f(a, b)` holds.
#[inline(always)]
fn compare<A: Lane>(registers: &Registers, active: u32, [a, b]: [Source; 2], f: impl Fn(A, A) -> bool) -> u32 {
    let (a, b) = (registers.get(a), registers.get(b));
    let mut mask = 0;
    if active.count_ones() > FEW {
        let mut holds = [0u8; 32];
        for lane in 0..32 {
            holds[lane] = u8::from(f(A::from_lane(a[lane]), A::from_lane(b[lane])));
        }
        for lane in 0..32 {
            mask |= u32::from(holds[lane]) << lane;
        }
    } else {
        for lane in lanes(active) {
            mask |= u32::from(f(A::from_lane(a[lane]), A::from_lane(b[lane]))) << lane;
        }
    }
    mask
}

/// `setp`: `p = f(a, b) op c`, and `q = !f(a, b) op c`.
pub(crate) fn set_predicate<A: Lane>(
    p: Option<u32>,
    q: Option<u32>,
    sources: [Source; 2],
    combine: Option<(Combine, Condition)>,
    f: impl Fn(A, A) -> bool + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let holds = compare(registers, active, sources, &f);
        let (mut first, mut second) = (holds, !holds);
        if let Some((combine, condition)) = combine {
            let with = condition.mask(registers);
            (first, second) = (combine.apply(first, with), combine.apply(second, with));
        }
        if let Some(p) = p {
            registers.set_mask(p, active, first);
        }
        if let Some(q) = q {
            registers.set_mask(q, active, second);
        }
    })
}

/// `set`: all ones or 1.0 where `f(a, b) op c` holds, 0 elsewhere.
pub(crate) fn set_value<A: Lane>(
    d: u32,
    yes: u64,
    sources: [Source; 2],
    combine: Option<(Combine, Condition)>,
    f: impl Fn(A, A) -> bool + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let mut holds = compare(registers, active, sources, &f);
        if let Some((combine, condition)) = combine {
            holds = combine.apply(holds, condition.mask(registers));
        }
        let out = std::array::from_fn(|lane| if holds >> lane & 1 == 1 { yes } else { 0 });
        registers.put(d, active, &out);
    })
}

/// `selp`
pub(crate) fn select(d: u32, [a, b]: [Source; 2], condition: Condition) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        let mask = condition.mask(registers);
        let (a, b) = (registers.get(a), registers.get(b));
        fill(&mut out, active, |lane| if mask >> lane & 1 == 1 { a[lane] } else { b[lane] });
        registers.put(d, active, &out);
    })
}

/// A function of predicates.
pub(crate) fn predicates<const N: usize>(
    d: u32,
    conditions: [Condition; N],
    f: impl Fn([u32; N]) -> u32 + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let masks = conditions.map(|condition| condition.mask(registers));
        registers.set_mask(d, active, f(masks));
    })
}

/// A predicate of one value.
pub(crate) fn test<A: Lane>(p: u32, a: Source, f: impl Fn(A) -> bool + Send + Sync + 'static) -> Compute {
    set_predicate(Some(p), None, [a, a], None, move |a: A, _| f(a))
}

/// `add.cc` and its like: `f(a, b, carry)` gives the result and the carry, which is written if requested.
pub(crate) fn carry<A: Lane>(
    d: u32,
    sources: [Source; 2],
    flag: u32,
    takes: bool,
    gives: bool,
    f: impl Fn(A, A, bool) -> (A, bool) + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        let carries = if takes { registers.mask(flag) } else { 0 };
        let mut next = 0;
        let (a, b) = (registers.get(sources[0]), registers.get(sources[1]));
        for lane in lanes(active) {
            let (value, carry) = f(A::from_lane(a[lane]), A::from_lane(b[lane]), carries >> lane & 1 == 1);
            out[lane] = value.into_lane();
            next |= u32::from(carry) << lane;
        }
        registers.put(d, active, &out);
        if gives {
            registers.set_mask(flag, active, next);
        }
    })
}

/// `mov.b64 d, {a, b}`: parts of this many bits, the lowest first.
pub(crate) fn pack(d: u32, parts: Vec<Source>, bits: u32) -> Compute {
    Box::new(move |registers, active| {
        let mut out = [0; 32];
        for (n, &part) in parts.iter().enumerate() {
            let row = registers.get(part);
            for lane in 0..32 {
                out[lane] = with_part(out[lane], row[lane], n as u32, bits);
            }
        }
        registers.put(d, active, &out);
    })
}

/// `mov.b64 {a, b}, d`
pub(crate) fn unpack(parts: Vec<Option<u32>>, a: Source, bits: u32) -> Compute {
    Box::new(move |registers, active| {
        let whole = *registers.get(a);
        for (n, part) in parts.iter().enumerate() {
            if let Some(part) = *part {
                registers.put(part, active, &whole.map(|value| part_of(value, n as u32, bits)));
            }
        }
    })
}

/// A value of a kernel's parameters: the same for all lanes.
pub(crate) fn argument(
    d: u32,
    at: usize,
    width: usize,
    extend: impl Fn(u64) -> u64 + Send + Sync + 'static,
) -> Compute {
    Box::new(move |registers, active| {
        let value = part(registers.arguments[at / 8], at % 8, width);
        let out = [extend(value); 32];
        registers.put(d, active, &out);
    })
}

/// A value of a parameter of a function or call: rows of eight bytes.
pub(crate) fn from_parameter(
    d: u32,
    row: u32,
    at: usize,
    width: usize,
    extend: impl Fn(u64) -> u64 + Send + Sync + 'static,
) -> Compute {
    unary(d, Source::Row(row + (at / 8) as u32), move |word: u64| extend(part(word, at % 8, width)))
}

/// Writes a value of a parameter of a function or call.
pub(crate) fn to_parameter(row: u32, at: usize, width: usize, value: Source) -> Compute {
    let row = row + (at / 8) as u32;
    let shift = at % 8 * 8;
    let mask = low(width) << shift;
    binary(row, [Source::Row(row), value], move |old: u64, new: u64| old & !mask | (new << shift) & mask)
}

/// The bits of this many bytes.
pub(crate) const fn low(width: usize) -> u64 {
    if width >= 8 { u64::MAX } else { (1 << (width * 8)) - 1 }
}

const fn part(word: u64, at: usize, width: usize) -> u64 {
    (word >> (at * 8)) & low(width)
}
