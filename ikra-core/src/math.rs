//! Mathematical functions with equal results on host and device, to the last bit.
//!
//! | in a model | host | device | bits |
//! | --- | --- | --- | --- |
//! | `+ - * /`, comparisons, `as` | the processor | the processor | the same |
//! | methods of `core` other than the next ones: `x.abs()`, `x.clamp(a, b)`, `x.signum()`, `x.recip()` | `core`'s | `core`'s | the same |
//! | `x.sqrt()`, `floor`, `ceil`, `trunc`, `round`, `round_ties_even`, `fract`, `mul_add`, `rem_euclid`, `div_euclid` | `std`'s | the prelude's | the same |
//! | [`math::sin(x)`](sin) and all functions of this module but those named `approx` | this module's code | this module's code | the same |
//! | `x % y` | `std`'s | – | use [`math::rem(x, y)`](rem()) |
//! | `x.min(y)`, `x.max(y)` | any zero of two | – | use [`math::min(x, y)`](min), unless neither can be −0 or one is a constant other than 0 |
//! | `x.powi(n)` | `std`'s | for the constants −1, 0, 1, 2 | use [`math::powi(x, n)`](powi) for others |
//! | `x.midpoint(y)` of `f32` | `core`'s | – | use [`math::midpoint(x, y)`](midpoint) |
//! | `x.sin()`, `exp`, `powf` and other methods of `std` | `std`'s | – | use [`math::sin(x)`](sin) |
//! | [`math::sin_approx(x)`](sin_approx) | as `math::sin(x)` | the device's fast instruction | different |
//!
//! With `Floats::Strict`, the default of `ikra-build`, an operation with "–" for the device is an error when the device
//! code is built. The error shows its position and a replacement. With `Floats::Contract` and `Floats::Fast` the
//! operation is allowed. Then `%` of floating-point numbers uses a rounded quotient on the device, `min` and `max` take
//! −0 for less than 0, and `x.sin()` is `math::sin(x)`.
//!
//! "The same" bits do not specify which NaN an operation gives, as in Rust. In generic code, `x.sin()` of an `x: T`
//! where `T: GpuFloat` is [`math::sin(x)`](sin) on both sides.
//!
//! ```
//! use ikra::math;
//! let angle = 0.5_f32;
//! assert_eq!(math::sin(angle), 0.479_425_55);
//! assert!((math::sin(0.5_f64) - 0.5_f64.sin()).abs() < 1e-15);
//! assert_eq!(math::rem(5.0_f32, 0.1), 5.0 % 0.1);
//! assert!(math::max(-0.0_f32, 0.0).is_sign_positive());
//! ```
//!
//! # Errors of the functions
//!
//! In units in the last place (ulp) of the exact result rounded to nearest. This crate's tests check these bounds for a
//! million arguments of all magnitudes.
//!
//! | function | `f32` | `f64` |
//! | --- | ---: | ---: |
//! | `sqrt` `floor` `ceil` `trunc` `round` `round_ties_even` `fract` `mul_add` | 0 | 0 |
//! | `rem` `min` `max`; `rem_euclid` and `div_euclid` as `std`'s | 0 | 0 |
//! | `rsqrt` (a square root and a division) | 2 | 2 |
//! | `sin` `cos` | 2 | 1 |
//! | `tan` | 3 | 2 |
//! | `asin` `acos` `atan` `atan2` | 3 | 2 |
//! | `exp` `exp_m1` `exp2` | 2 | 2 |
//! | `ln` `ln_1p` `log2` `log10` | 2 | 2 |
//! | `powf`, and `powi` of powers below 2²⁴ | 2 | 2 |
//! | `sinh` `cosh` `tanh` | 3 | 3 |
//! | `asinh` `acosh` `atanh` | 3 | 3 |
//! | `cbrt` `hypot` | 2 | 2 |
//!
//! `f32` functions use no tables in memory, and no `f64`, which is slow on many GPUs ([`midpoint`] excepted). The `f64`
//! functions are those of [`libm`].

mod approximate;
mod double;
mod exact;
mod single;
mod trigonometric;

pub use approximate::{cos_approx, exp_approx, ln_approx, rcp_approx, rsqrt_approx, sin_approx};

/// The floating-point types: `f32` and `f64`. As a bound it brings the methods of [`Functions`], whose results have
/// equal bits on host and device.
///
/// ```
/// use ikra::prelude::*;
///
/// fn circumference<T: GpuFloat + core::ops::Mul<Output = T>>(angle: T, radius: T) -> T {
///     angle.sin() * radius
/// }
/// assert_eq!(circumference(0.5_f32, 2.0), 0.958_851_1);
/// ```
pub trait GpuFloat: Functions {
    /// 1 / √x.
    #[must_use]
    fn rsqrt(self) -> Self;
}

/// The functions of this module as methods, for generic code: see [`GpuFloat`].
///
/// Not in the prelude. So `x.sin()` of an `f32` is `std`'s method on the host, and never silently a different one on
/// the device.
pub trait Functions: Copy + Sized {
    /// √x.
    #[must_use]
    fn sqrt(self) -> Self;
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
    /// The nearest integer, halves to the even one.
    #[must_use]
    fn round_ties_even(self) -> Self;
    /// The part that [`trunc`](Self::trunc) removes.
    #[must_use]
    fn fract(self) -> Self;
    /// See [`rem()`].
    #[must_use]
    fn remainder(self, y: Self) -> Self;
    /// See [`rem_euclid`].
    #[must_use]
    fn rem_euclid(self, y: Self) -> Self;
    /// See [`div_euclid`].
    #[must_use]
    fn div_euclid(self, y: Self) -> Self;
    /// See [`min`].
    #[must_use]
    fn min(self, y: Self) -> Self;
    /// See [`max`].
    #[must_use]
    fn max(self, y: Self) -> Self;
    /// See [`midpoint`].
    #[must_use]
    fn midpoint(self, y: Self) -> Self;
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
    /// The logarithm to a base: the quotient of natural logarithms.
    #[must_use]
    fn log(self, base: Self) -> Self;
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
    /// The inverse hyperbolic sine.
    #[must_use]
    fn asinh(self) -> Self;
    /// The inverse hyperbolic cosine.
    #[must_use]
    fn acosh(self) -> Self;
    /// The inverse hyperbolic tangent.
    #[must_use]
    fn atanh(self) -> Self;
    /// The cube root.
    #[must_use]
    fn cbrt(self) -> Self;
    /// √(x² + y²), without intermediate overflow.
    #[must_use]
    fn hypot(self, y: Self) -> Self;
}

/// A function that calls the trait's method with its name.
macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident($($arg:ident: $ty:ty),*) -> $out:ty;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<T: GpuFloat>(x: T $(, $arg: $ty)*) -> $out {
            Functions::$name(x $(, $arg)*)
        }
    )* };
}

functions! {
    /// √x.
    sqrt() -> T;
    /// The largest integer that is not greater.
    floor() -> T;
    /// The smallest integer that is not less.
    ceil() -> T;
    /// The integer part.
    trunc() -> T;
    /// The nearest integer, halves away from zero.
    round() -> T;
    /// The nearest integer, halves to the even one.
    round_ties_even() -> T;
    /// The part that [`trunc`] removes: `x - trunc(x)`, with the sign of x.
    fract() -> T;
    /// The least non-negative remainder of a division, as [`f32::rem_euclid`]; |y| if a lesser number is rounded to it.
    rem_euclid(y: T) -> T;
    /// The quotient for [`rem_euclid`], as [`f32::div_euclid`].
    div_euclid(y: T) -> T;
    /// The minimum: −0 is less than 0, and a number less than NaN.
    ///
    /// [`f32::min`] does not specify whether it returns `0.0` or `-0.0` for these two; processors differ.
    min(y: T) -> T;
    /// The maximum: 0 is greater than −0, and a number greater than NaN.
    ///
    /// [`f32::max`] does not specify whether it returns `0.0` or `-0.0` for these two; processors differ.
    max(y: T) -> T;
    /// The midpoint, (x + y) / 2, without intermediate overflow.
    midpoint(y: T) -> T;
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
    /// The logarithm to a base: the quotient of natural logarithms.
    log(base: T) -> T;
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
    /// The inverse hyperbolic sine.
    asinh() -> T;
    /// The inverse hyperbolic cosine.
    acosh() -> T;
    /// The inverse hyperbolic tangent.
    atanh() -> T;
    /// The cube root.
    cbrt() -> T;
    /// √(x² + y²), without intermediate overflow.
    hypot(y: T) -> T;
}

/// 1 / √x.
#[inline(always)]
#[must_use]
pub fn rsqrt<T: GpuFloat>(x: T) -> T {
    x.rsqrt()
}

/// The remainder of the division x / y with a quotient rounded to zero, exactly. This is the host's `x % y`; the
/// device's `%` differs. It has the sign of x.
///
/// ```
/// use ikra::math;
/// assert_eq!(math::rem(5.0_f32, 0.1), 0.099_999_93);
/// assert_eq!(math::rem(-1e10_f64, 3.5), -0.5);
/// ```
#[inline(always)]
#[must_use]
pub fn rem<T: GpuFloat>(x: T, y: T) -> T {
    x.remainder(y)
}
