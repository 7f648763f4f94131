//! The functions that both types share: those that IEEE 754 defines to the last bit, and functions composed of them.

use super::GpuFloat;
use crate::target::arithmetic;

macro_rules! reciprocal_roots {
    ($($ty:ident by $arithmetic:ident)*) => { $(
        impl GpuFloat for $ty {
            #[inline(always)]
            fn rsqrt(self) -> Self {
                1.0 / arithmetic::$arithmetic::sqrt(self)
            }
        }
    )* };
}
reciprocal_roots! { f32 by single f64 by double }

/// Within an implementation of [`Functions`](super::Functions).
macro_rules! exact {
    () => {
        #[inline(always)]
        fn sqrt(self) -> Self {
            arithmetic::sqrt(self)
        }
        #[inline(always)]
        fn floor(self) -> Self {
            arithmetic::floor(self)
        }
        #[inline(always)]
        fn ceil(self) -> Self {
            arithmetic::ceil(self)
        }
        #[inline(always)]
        fn trunc(self) -> Self {
            arithmetic::trunc(self)
        }
        #[inline(always)]
        fn round(self) -> Self {
            arithmetic::round(self)
        }
        #[inline(always)]
        fn round_ties_even(self) -> Self {
            arithmetic::round_ties_even(self)
        }
        #[inline(always)]
        fn fract(self) -> Self {
            self - arithmetic::trunc(self)
        }
        #[inline(always)]
        fn remainder(self, y: Self) -> Self {
            arithmetic::rem(self, y)
        }
        #[inline]
        fn rem_euclid(self, y: Self) -> Self {
            let rest = arithmetic::rem(self, y);
            if rest < 0.0 { rest + y.abs() } else { rest }
        }
        #[inline]
        fn div_euclid(self, y: Self) -> Self {
            let quotient = arithmetic::trunc(self / y);
            if arithmetic::rem(self, y) < 0.0 {
                return if y > 0.0 { quotient - 1.0 } else { quotient + 1.0 };
            }
            quotient
        }
        #[inline(always)]
        fn min(self, y: Self) -> Self {
            arithmetic::min(self, y)
        }
        #[inline(always)]
        fn max(self, y: Self) -> Self {
            arithmetic::max(self, y)
        }
        #[inline(always)]
        fn mul_add(self, a: Self, b: Self) -> Self {
            arithmetic::mul_add(self, a, b)
        }
        fn log(self, base: Self) -> Self {
            Functions::ln(self) / Functions::ln(base)
        }
    };
}
pub(super) use exact;
