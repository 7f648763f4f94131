//! `f32`, without `f64`: FreeBSD's algorithms from `libm` if they need no `f64`, otherwise own ones.

use core::f32::consts::{FRAC_PI_2, LN_2, PI};

use super::exact::exact;
use super::{Functions, trigonometric};
use crate::target::arithmetic::single as arithmetic;

impl Functions for f32 {
    exact!();

    #[inline]
    fn midpoint(self, y: Self) -> Self {
        // As `std` on processors with `f64`.
        (0.5 * (f64::from(self) + f64::from(y))) as f32
    }
    #[inline]
    fn sin(self) -> Self {
        trigonometric::sin_cos(self).0
    }
    #[inline]
    fn cos(self) -> Self {
        trigonometric::sin_cos(self).1
    }
    #[inline]
    fn sin_cos(self) -> (Self, Self) {
        trigonometric::sin_cos(self)
    }
    #[inline]
    fn tan(self) -> Self {
        trigonometric::tan(self)
    }
    fn asin(self) -> Self {
        let a = self.abs();
        if a < 0.5 {
            return arcsine(self);
        }
        // asin x = π/2 − 2 asin √((1 − x) / 2)
        let angle = FRAC_PI_2 - 2.0 * arcsine(arithmetic::sqrt(0.5 * (1.0 - a)));
        angle.copysign(self)
    }
    fn acos(self) -> Self {
        let a = self.abs();
        if a < 0.5 {
            // π/2 in two parts, so that the difference rounds once.
            return FRAC_PI_2 - (arcsine(self) - -4.371_139e-8);
        }
        let angle = 2.0 * arcsine(arithmetic::sqrt(0.5 * (1.0 - a)));
        if self < 0.0 { PI - angle } else { angle }
    }
    fn atan(self) -> Self {
        libm::atanf(self)
    }
    fn atan2(self, x: Self) -> Self {
        libm::atan2f(self, x)
    }
    fn exp(self) -> Self {
        libm::expf(self)
    }
    fn exp2(self) -> Self {
        if !(-151.0..=128.0).contains(&self) {
            return if self.is_nan() {
                self
            } else if self > 0.0 {
                f32::INFINITY
            } else {
                0.0
            };
        }
        let whole = arithmetic::round(self);
        // |rest| ≤ 1/2, exactly.
        let rest = self - whole;
        libm::scalbnf(libm::expf(rest * LN_2), whole as i32)
    }
    fn exp_m1(self) -> Self {
        libm::expm1f(self)
    }
    fn ln(self) -> Self {
        libm::logf(self)
    }
    fn ln_1p(self) -> Self {
        libm::log1pf(self)
    }
    fn log2(self) -> Self {
        libm::log2f(self)
    }
    fn log10(self) -> Self {
        libm::log10f(self)
    }
    fn powf(self, y: Self) -> Self {
        libm::powf(self, y)
    }
    fn powi(self, n: i32) -> Self {
        // `f32` holds 24 bits of an integer. The part beyond them is a multiple of 256.
        let low = if n.unsigned_abs() < 1 << 24 { n } else { n & 255 };
        let high = n - low;
        if high == 0 {
            libm::powf(self, low as f32)
        } else {
            libm::powf(self, low as f32) * libm::powf(self, high as f32)
        }
    }
    fn sinh(self) -> Self {
        let a = self.abs();
        let sinh = if a < 9.0 {
            let t = libm::expm1f(a);
            0.5 * (t + t / (t + 1.0))
        } else {
            let half = libm::expf(0.5 * a);
            0.5 * half * half
        };
        sinh.copysign(self)
    }
    fn cosh(self) -> Self {
        let a = self.abs();
        if a < 9.0 {
            let t = libm::expf(a);
            0.5 * t + 0.5 / t
        } else {
            let half = libm::expf(0.5 * a);
            0.5 * half * half
        }
    }
    fn tanh(self) -> Self {
        let a = self.abs();
        let tanh = if a > 10.0 {
            1.0
        } else if a < 1e-4 {
            a
        } else {
            let t = libm::expm1f(2.0 * a);
            t / (t + 2.0)
        };
        if self.is_nan() { self } else { tanh.copysign(self) }
    }
    fn cbrt(self) -> Self {
        if self == 0.0 || !self.is_finite() {
            return self;
        }
        // Scaled by 2^24 or 2^-24, and the root by 2^-8 or 2^8, where cubes would leave the range.
        let (factor, scale) = match self.abs() {
            a if a < 1e-30 => (16_777_216.0, 1.0 / 256.0),
            a if a > 1e30 => (1.0 / 16_777_216.0, 256.0),
            _ => (1.0, 1.0),
        };
        let a = self.abs() * factor;
        // A third of the exponent, to some five bits; then two steps that triple the number of exact bits.
        let mut root = f32::from_bits(a.to_bits() / 3 + 0x2a51_37a0);
        for _ in 0..2 {
            let cube = root * root * root;
            root *= (cube + 2.0 * a) / (2.0 * cube + a);
        }
        // The error, from the exact cube.
        let square = root * root;
        let lost = arithmetic::mul_add(root, root, -square);
        let excess = arithmetic::mul_add(square, root, -a) + lost * root;
        root -= excess / (3.0 * square);
        (root * scale).copysign(self)
    }
    fn asinh(self) -> Self {
        libm::asinhf(self)
    }
    fn acosh(self) -> Self {
        if self < 1.0 { f32::NAN } else { libm::acoshf(self) }
    }
    fn atanh(self) -> Self {
        libm::atanhf(self)
    }
    fn hypot(self, y: Self) -> Self {
        let (a, b) = (self.abs(), y.abs());
        if a.is_infinite() || b.is_infinite() {
            return f32::INFINITY;
        }
        let (large, small) = if a > b { (a, b) } else { (b, a) };
        // Powers of two keep the squares in range and are exact.
        let scale: f32 = if large > 1e18 {
            1.0 / 1_208_925_819_614_629_174_706_176.0
        } else if large < 1e-18 {
            1_237_940_039_285_380_274_899_124_224.0
        } else {
            1.0
        };
        let (large, small) = (large * scale, small * scale);
        arithmetic::sqrt(large * large + small * small) / scale
    }
}

/// The arcsine in −1/2 … 1/2.
fn arcsine(x: f32) -> f32 {
    let z = x * x;
    let p = (((4.216_32e-2 * z + 2.418_131e-2) * z + 4.547_002_6e-2) * z + 7.495_300_3e-2) * z + 1.666_675_3e-1;
    p * z * x + x
}
