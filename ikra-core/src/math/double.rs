//! `f64`: the functions of `libm`, on both sides.

use super::{Functions, GpuFloat};
use crate::target::arithmetic::double as arithmetic;

impl GpuFloat for f64 {
    #[inline(always)]
    fn rsqrt(self) -> Self {
        1.0 / arithmetic::sqrt(self)
    }
}

impl Functions for f64 {
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
    #[inline]
    fn midpoint(self, y: Self) -> Self {
        const HIGH: f64 = f64::MAX / 2.0;
        // As `std`: without overflow on the way.
        if self.abs() <= HIGH && y.abs() <= HIGH { (self + y) / 2.0 } else { self / 2.0 + y / 2.0 }
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        arithmetic::mul_add(self, a, b)
    }
    fn sin(self) -> Self {
        libm::sin(self)
    }
    fn cos(self) -> Self {
        libm::cos(self)
    }
    fn sin_cos(self) -> (Self, Self) {
        libm::sincos(self)
    }
    fn tan(self) -> Self {
        libm::tan(self)
    }
    fn asin(self) -> Self {
        libm::asin(self)
    }
    fn acos(self) -> Self {
        libm::acos(self)
    }
    fn atan(self) -> Self {
        libm::atan(self)
    }
    fn atan2(self, x: Self) -> Self {
        libm::atan2(self, x)
    }
    fn exp(self) -> Self {
        libm::exp(self)
    }
    fn exp2(self) -> Self {
        libm::exp2(self)
    }
    fn exp_m1(self) -> Self {
        libm::expm1(self)
    }
    fn ln(self) -> Self {
        libm::log(self)
    }
    fn ln_1p(self) -> Self {
        libm::log1p(self)
    }
    fn log(self, base: Self) -> Self {
        Functions::ln(self) / Functions::ln(base)
    }
    fn log2(self) -> Self {
        libm::log2(self)
    }
    fn log10(self) -> Self {
        libm::log10(self)
    }
    fn powf(self, y: Self) -> Self {
        libm::pow(self, y)
    }
    fn powi(self, n: i32) -> Self {
        libm::pow(self, f64::from(n))
    }
    fn sinh(self) -> Self {
        libm::sinh(self)
    }
    fn cosh(self) -> Self {
        libm::cosh(self)
    }
    fn tanh(self) -> Self {
        libm::tanh(self)
    }
    fn cbrt(self) -> Self {
        libm::cbrt(self)
    }
    fn asinh(self) -> Self {
        libm::asinh(self)
    }
    fn acosh(self) -> Self {
        if self < 1.0 { f64::NAN } else { libm::acosh(self) }
    }
    fn atanh(self) -> Self {
        libm::atanh(self)
    }
    fn hypot(self, y: Self) -> Self {
        libm::hypot(self, y)
    }
}
