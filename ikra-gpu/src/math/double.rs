//! `f64`: the functions of `libm`, on both sides.

use super::GpuFloat;
use super::basic::double as basic;

impl GpuFloat for f64 {
    #[inline(always)]
    fn sqrt(self) -> Self {
        basic::sqrt(self)
    }
    #[inline(always)]
    fn rsqrt(self) -> Self {
        1.0 / basic::sqrt(self)
    }
    #[inline(always)]
    fn floor(self) -> Self {
        basic::floor(self)
    }
    #[inline(always)]
    fn ceil(self) -> Self {
        basic::ceil(self)
    }
    #[inline(always)]
    fn trunc(self) -> Self {
        basic::trunc(self)
    }
    #[inline(always)]
    fn round(self) -> Self {
        basic::round(self)
    }
    #[inline(always)]
    fn mul_add(self, a: Self, b: Self) -> Self {
        basic::mul_add(self, a, b)
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
    fn hypot(self, y: Self) -> Self {
        libm::hypot(self, y)
    }
}
