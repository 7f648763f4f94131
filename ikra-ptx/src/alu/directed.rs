//! Arithmetic that rounds other than to nearest, by LLVM's software floats.

use rustc_apfloat::{
    Float, FloatConvert, Round, StatusAnd,
    ieee::{BFloat, Double, Half, Quad, Single},
};

/// The rounding of results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// `.rn`: to nearest, ties to even.
    Nearest,
    /// `.rz`: towards zero.
    Zero,
    /// `.rm`: towards minus infinity.
    Down,
    /// `.rp`: towards plus infinity.
    Up,
    /// `.rna`: to nearest, ties away from zero.
    Away,
}

impl Rounding {
    const fn round(self) -> Round {
        match self {
            Self::Nearest => Round::NearestTiesToEven,
            Self::Zero => Round::TowardZero,
            Self::Down => Round::TowardNegative,
            Self::Up => Round::TowardPositive,
            Self::Away => Round::NearestTiesToAway,
        }
    }
}

/// Floats for which LLVM's arithmetic has a type.
pub trait Directed: Copy {
    /// LLVM's type.
    type Soft: Float
        + FloatConvert<Quad>
        + FloatConvert<Single>
        + FloatConvert<Double>
        + FloatConvert<Half>
        + FloatConvert<BFloat>;

    /// The same value.
    fn soft(self) -> Self::Soft;
    /// The same value.
    fn hard(soft: Self::Soft) -> Self;
    /// The square root, to nearest.
    fn root(self) -> Self;
    /// The next larger value.
    fn above(self) -> Self;
    /// The next smaller value.
    fn below(self) -> Self;

    /// The rounded sum.
    fn add_r(self, other: Self, rounding: Rounding) -> Self {
        Self::hard(self.soft().add_r(other.soft(), rounding.round()).value)
    }

    /// The rounded product.
    fn mul_r(self, other: Self, rounding: Rounding) -> Self {
        Self::hard(self.soft().mul_r(other.soft(), rounding.round()).value)
    }

    /// The rounded quotient.
    fn div_r(self, other: Self, rounding: Rounding) -> Self {
        Self::hard(self.soft().div_r(other.soft(), rounding.round()).value)
    }

    /// The product plus `c`, rounded once.
    fn fma_r(self, other: Self, c: Self, rounding: Rounding) -> Self {
        Self::hard(self.soft().mul_add_r(other.soft(), c.soft(), rounding.round()).value)
    }

    /// The rounded square root.
    fn sqrt_r(self, rounding: Rounding) -> Self {
        let root = self.root();
        let quad = |x: Self| -> Quad { x.soft().convert(&mut false).value };
        let StatusAnd { value: square, .. } = quad(root) * quad(root);
        match (square.partial_cmp(&quad(self)), rounding) {
            (Some(std::cmp::Ordering::Greater), Rounding::Zero | Rounding::Down) => root.below(),
            (Some(std::cmp::Ordering::Less), Rounding::Up) => root.above(),
            _ => root,
        }
    }
}

macro_rules! directed {
    ($($float:ident $soft:ident $bits:ident;)*) => { $(
        impl Directed for $float {
            type Soft = $soft;

            fn soft(self) -> $soft {
                $soft::from_bits(self.to_bits().into())
            }

            fn hard(soft: $soft) -> Self {
                Self::from_bits(soft.to_bits() as $bits)
            }

            fn root(self) -> Self {
                self.sqrt()
            }

            fn above(self) -> Self {
                self.next_up()
            }

            fn below(self) -> Self {
                self.next_down()
            }
        }
    )* };
}
directed! { f32 Single u32; f64 Double u64; }

/// A double in 32 bits.
pub fn f32_of_f64(x: f64, rounding: Rounding) -> f32 {
    let value: StatusAnd<Single> = x.soft().convert_r(rounding.round(), &mut false);
    f32::hard(value.value)
}

/// An integer in 32 bits.
pub fn f32_of_integer(x: i128, rounding: Rounding) -> f32 {
    f32::hard(Single::from_i128_r(x, rounding.round()).value)
}

/// An integer in 64 bits.
pub fn f64_of_integer(x: i128, rounding: Rounding) -> f64 {
    f64::hard(Double::from_i128_r(x, rounding.round()).value)
}

/// A double in half precision: its bits. NaN is `0x7fff`.
pub fn f16_of_f64(x: f64, rounding: Rounding) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    let value: StatusAnd<Half> = x.soft().convert_r(rounding.round(), &mut false);
    value.value.to_bits() as u16
}

/// A double with the exponent of 32 bits and 8 bits of precision: its bits. NaN is `0x7fff`.
pub fn bf16_of_f64(x: f64, rounding: Rounding) -> u16 {
    if x.is_nan() {
        return 0x7fff;
    }
    let value: StatusAnd<BFloat> = x.soft().convert_r(rounding.round(), &mut false);
    value.value.to_bits() as u16
}

/// Half precision, exactly.
pub fn f64_of_f16(bits: u16) -> f64 {
    let value: StatusAnd<Double> = Half::from_bits(bits.into()).convert(&mut false);
    f64::hard(value.value)
}

/// `bf16`, exactly.
pub fn f64_of_bf16(bits: u16) -> f64 {
    f64::from(f32::from_bits(u32::from(bits) << 16))
}

#[cfg(test)]
mod tests {
    use super::{Rounding::*, *};

    #[test]
    fn sums_lie_next_to_the_exact_one() {
        let (a, b) = (1.0f32, f32::EPSILON / 4.0);
        assert_eq!(a.add_r(b, Up), 1.0f32.next_up());
        assert_eq!(a.add_r(b, Down), 1.0);
        assert_eq!((-a).add_r(-b, Zero), -1.0);
        assert_eq!((-a).add_r(-b, Down), (-1.0f32).next_down());
        assert_eq!(1.0f32.add_r(-1.0, Down).to_bits(), (-0.0f32).to_bits());
        assert_eq!(f64::MAX.add_r(f64::MAX, Zero), f64::MAX);
        assert_eq!(f64::MAX.add_r(f64::MAX, Up), f64::INFINITY);
    }

    #[test]
    fn quotients_products_and_roots() {
        assert_eq!(1.0f64.div_r(3.0, Up), (1.0f64 / 3.0).next_up());
        assert_eq!(1.0f64.div_r(3.0, Down), 1.0 / 3.0);
        assert_eq!(0.1f32.mul_r(0.1, Nearest), 0.1f32 * 0.1);
        for x in [2.0f64, 3.0, 5.0, 0.1, 1e-300, 9.9e-324, f64::MAX] {
            let (down, up) = (x.sqrt_r(Down), x.sqrt_r(Up));
            assert_eq!(down.next_up(), up, "{x}");
            assert!(down == x.sqrt() || up == x.sqrt());
        }
        assert_eq!(4.0f32.sqrt_r(Up), 2.0);
        assert_eq!(1.0f32.fma_r(1.0, f32::EPSILON / 8.0, Up), 1.0f32.next_up());
    }

    #[test]
    fn halves() {
        assert_eq!(f16_of_f64(1.0, Nearest), 0x3c00);
        assert_eq!(f16_of_f64(65520.0, Nearest), 0x7c00);
        assert_eq!(f16_of_f64(65520.0, Zero), 0x7bff);
        assert_eq!(f64_of_f16(0x3555), 0.333_251_953_125);
        assert_eq!(bf16_of_f64(1.0 + 1.0 / 256.0, Nearest), 0x3f80);
        assert_eq!(bf16_of_f64(1.0 + 3.0 / 256.0, Nearest), 0x3f82);
        assert_eq!(f64_of_bf16(0xc000), -2.0);
        assert_eq!(f16_of_f64(f64::NAN, Nearest), 0x7fff);
    }
}
