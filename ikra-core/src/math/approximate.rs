//! The device's fast instructions, under names that say so. On the host they are the exact functions, so
//! that results differ in their last bits, or by more where the device's instruction is coarse.

use super::GpuFloat;
use crate::target::approximate;

/// Types that have fast instructions: `f32`.
pub trait Approximate: GpuFloat {
    /// See [`sin_approx`].
    #[must_use]
    fn sin_approx(self) -> Self;
    /// See [`cos_approx`].
    #[must_use]
    fn cos_approx(self) -> Self;
    /// See [`exp_approx`].
    #[must_use]
    fn exp_approx(self) -> Self;
    /// See [`ln_approx`].
    #[must_use]
    fn ln_approx(self) -> Self;
    /// See [`rsqrt_approx`].
    #[must_use]
    fn rsqrt_approx(self) -> Self;
    /// See [`rcp_approx`].
    #[must_use]
    fn rcp_approx(self) -> Self;
}

impl Approximate for f32 {
    #[inline(always)]
    fn sin_approx(self) -> Self {
        approximate::sin(self)
    }
    #[inline(always)]
    fn cos_approx(self) -> Self {
        approximate::cos(self)
    }
    #[inline(always)]
    fn exp_approx(self) -> Self {
        approximate::exp(self)
    }
    #[inline(always)]
    fn ln_approx(self) -> Self {
        approximate::ln(self)
    }
    #[inline(always)]
    fn rsqrt_approx(self) -> Self {
        approximate::rsqrt(self)
    }
    #[inline(always)]
    fn rcp_approx(self) -> Self {
        approximate::rcp(self)
    }
}

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name<T: Approximate>(x: T) -> T {
            x.$name()
        }
    )* };
}

functions! {
    /// The sine of an angle in radians; on the device with an error of about 2⁻²¹ in −π … π, growing with
    /// the angle.
    sin_approx;
    /// The cosine of an angle in radians; on the device with an error of about 2⁻²¹ in −π … π, growing with
    /// the angle.
    cos_approx;
    /// e to the power of x; on the device with a relative error of about 2⁻²² · (1 + |x|).
    exp_approx;
    /// The natural logarithm; on the device with an error of about 2⁻²².
    ln_approx;
    /// 1 / √x; on the device with a relative error of about 2⁻²².
    rsqrt_approx;
    /// 1 / x; on the device within 1 ulp.
    rcp_approx;
}
