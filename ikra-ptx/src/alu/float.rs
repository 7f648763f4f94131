//! Arithmetic of floats.

use super::{
    Lane,
    directed::{Directed, Rounding},
};

/// The treatment of subnormal numbers and results by an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mode {
    /// The rounding of the result.
    pub rounding: Rounding,
    /// `.ftz`: subnormal operands and results are zeros of the same sign.
    pub ftz: bool,
    /// `.sat`: the result is clamped to 0 to 1, and NaN is 0.
    pub sat: bool,
}

impl Mode {
    /// Whether it is rounded to nearest and nothing else.
    pub fn is_plain(self) -> bool {
        self == Self { rounding: Rounding::Nearest, ftz: false, sat: false }
    }
}

/// Floats of one width.
pub trait Real: Lane + Directed + PartialOrd {
    /// 0
    const ZERO: Self;
    /// 1
    const ONE: Self;

    /// The same, but NaN is the one that NVIDIA's hardware gives.
    fn canonical(self) -> Self;
    /// The same, but subnormal numbers are zeros of the same sign.
    fn flushed(self) -> Self;
    /// The sum.
    fn plus(self, other: Self) -> Self;
    /// The product.
    fn times(self, other: Self) -> Self;
    /// The quotient.
    fn over(self, other: Self) -> Self;
    /// The product plus `c`, rounded once.
    fn fused(self, other: Self, c: Self) -> Self;
    /// The negative, by the sign's bit.
    fn negative(self) -> Self;
    /// Without the sign's bit.
    fn absolute(self) -> Self;
    /// With the sign of another one.
    fn signed_as(self, other: Self) -> Self;
    /// Whether the sign's bit is set.
    fn has_sign(self) -> bool;
    /// Whether it is not a number.
    fn is_not_a_number(self) -> bool;
    /// Whether it is a number other than an infinity.
    fn is_finite_number(self) -> bool;
    /// Whether it is a normal number.
    fn is_normal_number(self) -> bool;
}

macro_rules! real {
    ($($type:ty, $canonical:expr;)*) => {
        $(
            impl Real for $type {
                const ZERO: Self = 0.0;
                const ONE: Self = 1.0;

                #[inline(always)]
                fn canonical(self) -> Self {
                    let canonical: fn($type) -> $type = $canonical;
                    canonical(self)
                }

                #[inline(always)]
                fn flushed(self) -> Self {
                    if self.abs() < Self::MIN_POSITIVE { (0.0 as $type).copysign(self) } else { self }
                }

                #[inline(always)]
                fn plus(self, other: Self) -> Self {
                    self + other
                }

                #[inline(always)]
                fn times(self, other: Self) -> Self {
                    self * other
                }

                #[inline(always)]
                fn over(self, other: Self) -> Self {
                    self / other
                }

                #[inline(always)]
                fn fused(self, other: Self, c: Self) -> Self {
                    self.mul_add(other, c)
                }

                #[inline(always)]
                fn negative(self) -> Self {
                    -self
                }

                #[inline(always)]
                fn absolute(self) -> Self {
                    self.abs()
                }

                #[inline(always)]
                fn signed_as(self, other: Self) -> Self {
                    self.copysign(other)
                }

                #[inline(always)]
                fn has_sign(self) -> bool {
                    self.is_sign_negative()
                }

                #[inline(always)]
                fn is_not_a_number(self) -> bool {
                    self.is_nan()
                }

                #[inline(always)]
                fn is_finite_number(self) -> bool {
                    self.is_finite()
                }

                #[inline(always)]
                fn is_normal_number(self) -> bool {
                    self.is_normal()
                }
            }
        )*
    };
}

real! {
    f32, |x| if x.is_nan() { f32::from_bits(0x7fff_ffff) } else { x };
    // Payloads of NaN pass through: for doubles, hardware does as processors do.
    f64, |x| x;
}

/// Flushes and clamps a result as the mode says.
#[inline(always)]
fn finish<T: Real>(x: T, mode: Mode) -> T {
    let x = if mode.ftz { x.flushed() } else { x };
    if mode.sat { saturate(x) } else { x.canonical() }
}

/// Clamped to 0 to 1; NaN is 0.
#[inline(always)]
pub fn saturate<T: Real>(x: T) -> T {
    // `-0` is 0, and so is NaN, with which every comparison is false.
    if x > T::ZERO { if x < T::ONE { x } else { T::ONE } } else { T::ZERO }
}

#[inline(always)]
fn operand<T: Real>(x: T, mode: Mode) -> T {
    if mode.ftz { x.flushed() } else { x }
}

/// The sum.
#[inline(always)]
pub fn add<T: Real>(a: T, b: T, mode: Mode) -> T {
    let (a, b) = (operand(a, mode), operand(b, mode));
    finish(if mode.rounding == Rounding::Nearest { a.plus(b) } else { a.add_r(b, mode.rounding) }, mode)
}

/// The product.
#[inline(always)]
pub fn mul<T: Real>(a: T, b: T, mode: Mode) -> T {
    let (a, b) = (operand(a, mode), operand(b, mode));
    finish(if mode.rounding == Rounding::Nearest { a.times(b) } else { a.mul_r(b, mode.rounding) }, mode)
}

/// The quotient.
#[inline(always)]
pub fn div<T: Real>(a: T, b: T, mode: Mode) -> T {
    let (a, b) = (operand(a, mode), operand(b, mode));
    finish(if mode.rounding == Rounding::Nearest { a.over(b) } else { a.div_r(b, mode.rounding) }, mode)
}

/// The product plus `c`, rounded once.
#[inline(always)]
pub fn fma<T: Real>(a: T, b: T, c: T, mode: Mode) -> T {
    let (a, b, c) = (operand(a, mode), operand(b, mode), operand(c, mode));
    finish(if mode.rounding == Rounding::Nearest { a.fused(b, c) } else { a.fma_r(b, c, mode.rounding) }, mode)
}

/// The square root.
#[inline(always)]
pub fn sqrt<T: Real>(a: T, mode: Mode) -> T {
    let a = operand(a, mode);
    finish(if mode.rounding == Rounding::Nearest { a.root() } else { a.sqrt_r(mode.rounding) }, mode)
}

/// The treatment of NaN and signs by `min` and `max`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extremum {
    /// The larger one.
    pub max: bool,
    /// `.NaN`: NaN if an operand is.
    pub nan: bool,
    /// `.xorsign.abs`: of the absolute values, with the product's sign.
    pub xorsign: bool,
    /// `.ftz`
    pub ftz: bool,
}

/// The smaller or the larger one; `-0` is smaller than `+0`.
#[inline(always)]
pub fn extremum<T: Real>(a: T, b: T, how: Extremum) -> T {
    let (mut a, mut b) = if how.ftz { (a.flushed(), b.flushed()) } else { (a, b) };
    let negative = a.has_sign() != b.has_sign();
    if how.xorsign {
        (a, b) = (a.absolute(), b.absolute());
    }
    let result = if a.is_not_a_number() || b.is_not_a_number() {
        if how.nan {
            if a.is_not_a_number() { a.canonical() } else { b.canonical() }
        } else if a.is_not_a_number() {
            b.canonical()
        } else {
            a
        }
    } else {
        let a_is_less = a < b || a == b && a.has_sign();
        if a_is_less == how.max { b } else { a }
    };
    if how.xorsign && !result.is_not_a_number() && negative { result.negative() } else { result }
}

/// Properties that `testp` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property {
    /// A number other than an infinity.
    Finite,
    /// An infinity.
    Infinite,
    /// A number, or an infinity.
    Number,
    /// NaN.
    NotANumber,
    /// A normal number, or zero.
    Normal,
    /// A subnormal number.
    Subnormal,
}

/// Whether a float has a property. Zeros count as normal, as PTX has it.
#[inline(always)]
pub fn has<T: Real>(x: T, property: Property) -> bool {
    match property {
        Property::Finite => x.is_finite_number(),
        Property::Infinite => !x.is_finite_number() && !x.is_not_a_number(),
        Property::Number => !x.is_not_a_number(),
        Property::NotANumber => x.is_not_a_number(),
        Property::Normal => x.is_normal_number() || x == T::ZERO,
        Property::Subnormal => x.is_finite_number() && !x.is_normal_number() && x != T::ZERO,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: Mode = Mode { rounding: Rounding::Nearest, ftz: false, sat: false };
    const SAT: Mode = Mode { sat: true, ..PLAIN };
    const FTZ: Mode = Mode { ftz: true, ..PLAIN };
    const MIN: Extremum = Extremum { max: false, nan: false, xorsign: false, ftz: false };
    const MAX: Extremum = Extremum { max: true, ..MIN };

    #[test]
    fn not_a_number_is_canonical() {
        assert!(PLAIN.is_plain() && !SAT.is_plain());
        assert_eq!(add(f32::INFINITY, f32::NEG_INFINITY, PLAIN).to_bits(), 0x7fff_ffff);
        assert_eq!(div(0.0f32, 0.0, PLAIN).to_bits(), 0x7fff_ffff);
        assert_eq!(fma(f32::NAN, 1.0, 1.0, PLAIN).to_bits(), 0x7fff_ffff);
        assert_eq!(sqrt(-1.0f32, PLAIN).to_bits(), 0x7fff_ffff);
        assert_eq!(mul(f32::from_bits(0xff80_0001), 1.0, PLAIN).to_bits(), 0x7fff_ffff);
        assert!(sqrt(-1.0f64, PLAIN).is_nan());
    }

    #[test]
    fn saturation_and_flushing() {
        assert_eq!(add(0.75f32, 0.75, SAT), 1.0);
        assert_eq!(add(-0.75f32, 0.5, SAT), 0.0);
        assert_eq!(mul(-0.0f32, 1.0, SAT).to_bits(), 0);
        assert_eq!(add(f32::NAN, 0.5, SAT), 0.0);
        let small = f32::MIN_POSITIVE / 2.0;
        assert_eq!(add(-small, 0.0, FTZ).to_bits(), 0);
        assert_eq!(mul(f32::MIN_POSITIVE, 0.5, FTZ), 0.0);
        assert_eq!(mul(-f32::MIN_POSITIVE, 0.5, FTZ).to_bits(), (-0.0f32).to_bits());
        assert_eq!(mul(f32::MIN_POSITIVE, 0.5, PLAIN), small);
    }

    #[test]
    fn extrema() {
        assert_eq!(extremum(f32::NAN, 2.0, MIN), 2.0);
        assert_eq!(extremum(2.0, f32::NAN, MAX), 2.0);
        assert_eq!(extremum(f32::NAN, -f32::NAN, MAX).to_bits(), 0x7fff_ffff);
        assert_eq!(extremum(f32::NAN, 2.0, Extremum { nan: true, ..MIN }).to_bits(), 0x7fff_ffff);
        assert_eq!(extremum(0.0f64, -0.0, MIN).to_bits(), (-0.0f64).to_bits());
        assert_eq!(extremum(-0.0f64, 0.0, MAX).to_bits(), 0);
        assert_eq!(extremum(-3.0f32, 2.0, Extremum { xorsign: true, ..MIN }), -2.0);
        assert_eq!(extremum(-3.0f32, -2.0, Extremum { xorsign: true, ..MAX }), 3.0);
    }

    #[test]
    fn properties() {
        let small = f32::MIN_POSITIVE / 2.0;
        assert!(has(small, Property::Subnormal) && !has(small, Property::Normal) && has(small, Property::Finite));
        assert!(has(0.0f64, Property::Normal) && !has(0.0f64, Property::Subnormal));
        assert!(has(f64::INFINITY, Property::Infinite) && has(f64::INFINITY, Property::Number));
        assert!(has(f32::NAN, Property::NotANumber) && !has(f32::NAN, Property::Finite));
    }
}
