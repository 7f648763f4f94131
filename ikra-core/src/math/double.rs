//! `f64`: the functions of `libm`, on both sides.

use super::Functions;
use super::exact::exact;
use crate::target::arithmetic::double as arithmetic;

impl Functions for f64 {
    exact!();

    #[inline]
    fn midpoint(self, y: Self) -> Self {
        const HIGH: f64 = f64::MAX / 2.0;
        // As `std`: without intermediate overflow.
        if self.abs() <= HIGH && y.abs() <= HIGH { (self + y) / 2.0 } else { self / 2.0 + y / 2.0 }
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
