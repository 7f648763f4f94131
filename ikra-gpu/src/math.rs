//! Mathematical functions, the same on host and device to the last bit.
//!
//! | in a model | host | device |
//! | --- | --- | --- |
//! | `x.sqrt()`, `x.floor()`, `x * y + z` | exact by IEEE 754 | the same bits |
//! | `math::sin(x)` | this module's code | this module's code: the same bits |
//! | `x.sin()` | `std`'s | this module's code: both within the error stated below |
//! | `math::sin_approx(x)` | as `math::sin(x)` | the device's fast instruction: other bits |
//!
//! `core`, which is all that models have on the device, knows no `x.sin()`; the trait [`GpuFloat`] in the
//! prelude supplies it there. On the host the types' own methods come first. So write `math::sin(x)` where
//! host and device are to agree in every bit.
//!
//! ```
//! use ikra::math;
//! let angle = 0.5_f32;
//! assert_eq!(math::sin(angle), 0.479_425_55);
//! assert!((math::sin(0.5_f64) - 0.5_f64.sin()).abs() < 1e-15);
//! ```
//!
//! # Errors of the functions
//!
//! In units in the last place (ulp) of the exact result rounded to nearest; measured over a million
//! arguments of all magnitudes by this crate's tests, which hold these bounds.
//!
//! | function | `f32` | `f64` |
//! | --- | ---: | ---: |
//! | `sqrt` `floor` `ceil` `trunc` `round` `mul_add` | 0 | 0 |
//! | `rsqrt` (a square root and a division) | 2 | 2 |
//! | `sin` `cos` | 2 | 1 |
//! | `tan` | 3 | 2 |
//! | `asin` `acos` `atan` `atan2` | 3 | 2 |
//! | `exp` `exp_m1` `exp2` | 2 | 2 |
//! | `ln` `ln_1p` `log2` `log10` | 2 | 2 |
//! | `powf` `powi` | 2 | 2 |
//! | `sinh` `cosh` `tanh` | 3 | 3 |
//! | `cbrt` `hypot` | 2 | 2 |
//!
//! `f32` functions use no `f64`, in which many GPUs are slow, and no tables in memory. `f64` functions are
//! those of [`libm`].

mod approximate;
mod basic;
mod double;
mod single;
mod trigonometric;

pub use approximate::{Approximate, cos_approx, exp_approx, ln_approx, rcp_approx, rsqrt_approx, sin_approx};

/// The functions as methods, under the names that `f32` and `f64` have on the host.
pub trait GpuFloat: Copy + Sized {
    /// √x.
    #[must_use]
    fn sqrt(self) -> Self;
    /// 1 / √x.
    #[must_use]
    fn rsqrt(self) -> Self;
    /// The largest integer that is not greater.
    #[must_use]
    fn floor(self) -> Self;
    /// The smallest integer that is not less.
    #[must_use]
    fn ceil(self) -> Self;
    /// The integer part.
    #[must_use]
    fn trunc(self) -> Self;
    /// The nearest integer, halves away from zero.
    #[must_use]
    fn round(self) -> Self;
    /// `self * a + b`, rounded once.
    #[must_use]
    fn mul_add(self, a: Self, b: Self) -> Self;
    /// The sine of an angle in radians.
    #[must_use]
    fn sin(self) -> Self;
    /// The cosine of an angle in radians.
    #[must_use]
    fn cos(self) -> Self;
    /// Sine and cosine of an angle in radians.
    #[must_use]
    fn sin_cos(self) -> (Self, Self);
    /// The tangent of an angle in radians.
    #[must_use]
    fn tan(self) -> Self;
    /// The angle in −π/2 … π/2 with this sine.
    #[must_use]
    fn asin(self) -> Self;
    /// The angle in 0 … π with this cosine.
    #[must_use]
    fn acos(self) -> Self;
    /// The angle in −π/2 … π/2 with this tangent.
    #[must_use]
    fn atan(self) -> Self;
    /// The angle in −π … π of the point with ordinate `self` and abscissa `x`.
    #[must_use]
    fn atan2(self, x: Self) -> Self;
    /// e to the power of `self`.
    #[must_use]
    fn exp(self) -> Self;
    /// 2 to the power of `self`.
    #[must_use]
    fn exp2(self) -> Self;
    /// e to the power of `self`, less 1.
    #[must_use]
    fn exp_m1(self) -> Self;
    /// The natural logarithm.
    #[must_use]
    fn ln(self) -> Self;
    /// The natural logarithm of `1 + self`.
    #[must_use]
    fn ln_1p(self) -> Self;
    /// The logarithm to base 2.
    #[must_use]
    fn log2(self) -> Self;
    /// The logarithm to base 10.
    #[must_use]
    fn log10(self) -> Self;
    /// `self` to the power of `y`.
    #[must_use]
    fn powf(self, y: Self) -> Self;
    /// `self` to the power of an integer.
    #[must_use]
    fn powi(self, n: i32) -> Self;
    /// The hyperbolic sine.
    #[must_use]
    fn sinh(self) -> Self;
    /// The hyperbolic cosine.
    #[must_use]
    fn cosh(self) -> Self;
    /// The hyperbolic tangent.
    #[must_use]
    fn tanh(self) -> Self;
    /// The cube root.
    #[must_use]
    fn cbrt(self) -> Self;
    /// √(x² + y²), without overflow on the way.
    #[must_use]
    fn hypot(self, y: Self) -> Self;
}

/// A function of the trait's method of the same name.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<T: GpuFloat>(x: T $(, $arg: $ty)*) -> $out {
            GpuFloat::$name(x $(, $arg)*)
        }
    )* };
}

functions! {
    /// √x.
    sqrt() -> T;
    /// 1 / √x.
    rsqrt() -> T;
    /// The largest integer that is not greater.
    floor() -> T;
    /// The smallest integer that is not less.
    ceil() -> T;
    /// The integer part.
    trunc() -> T;
    /// The nearest integer, halves away from zero.
    round() -> T;
    /// `x * a + b`, rounded once.
    mul_add(a: T, b: T) -> T;
    /// The sine of an angle in radians.
    sin() -> T;
    /// The cosine of an angle in radians.
    cos() -> T;
    /// Sine and cosine of an angle in radians.
    sin_cos() -> (T, T);
    /// The tangent of an angle in radians.
    tan() -> T;
    /// The angle in −π/2 … π/2 with this sine.
    asin() -> T;
    /// The angle in 0 … π with this cosine.
    acos() -> T;
    /// The angle in −π/2 … π/2 with this tangent.
    atan() -> T;
    /// The angle in −π … π of the point with ordinate `x` and abscissa `abscissa`.
    atan2(abscissa: T) -> T;
    /// e to the power of x.
    exp() -> T;
    /// 2 to the power of x.
    exp2() -> T;
    /// e to the power of x, less 1.
    exp_m1() -> T;
    /// The natural logarithm.
    ln() -> T;
    /// The natural logarithm of 1 + x.
    ln_1p() -> T;
    /// The logarithm to base 2.
    log2() -> T;
    /// The logarithm to base 10.
    log10() -> T;
    /// x to the power of y.
    powf(y: T) -> T;
    /// x to the power of an integer.
    powi(n: i32) -> T;
    /// The hyperbolic sine.
    sinh() -> T;
    /// The hyperbolic cosine.
    cosh() -> T;
    /// The hyperbolic tangent.
    tanh() -> T;
    /// The cube root.
    cbrt() -> T;
    /// √(x² + y²), without overflow on the way.
    hypot(y: T) -> T;
}
