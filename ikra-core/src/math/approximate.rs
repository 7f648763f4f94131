//! The device's fast instructions, with `approx` in their names. On the host they are the exact functions. So results
//! differ in their last bits, or by more where the device's instruction is coarse. All but sine and cosine take numbers
//! below `f32::MIN_POSITIVE` for zero there, as `nvcc -use_fast_math` does: with such numbers, one instruction is seven.

use super::{Functions, GpuFloat};
use crate::target::arithmetic::approximate;

macro_rules! functions {
    ($($(#[$doc:meta])* $name:ident by $instruction:ident or $exact:expr;)*) => { $(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name(x: f32) -> f32 {
            approximate::$instruction(x, $exact)
        }
    )* };
}

functions! {
    /// The sine of an angle in radians; on the device with an error of about 2⁻²¹ in −π … π, growing with the angle.
    sin_approx by sin or Functions::sin;
    /// The cosine of an angle in radians; on the device with an error of about 2⁻²¹ in −π … π, growing with the angle.
    cos_approx by cos or Functions::cos;
    /// e to the power of x; on the device with a relative error of about 2⁻²² · (1 + |x|). Powers below
    /// `f32::MIN_POSITIVE` are 0 there.
    exp_approx by exp or Functions::exp;
    /// The natural logarithm; on the device with an error of about 2⁻²². It is −∞ there below `f32::MIN_POSITIVE`.
    ln_approx by ln or Functions::ln;
    /// 1 / √x; on the device with a relative error of about 2⁻²². It is ∞ there below `f32::MIN_POSITIVE`.
    rsqrt_approx by rsqrt or GpuFloat::rsqrt;
    /// 1 / x; on the device within 1 ulp. It is ∞ or −∞ there if x, and zero if 1 / x, is below `f32::MIN_POSITIVE`.
    rcp_approx by rcp or |x| 1.0 / x;
}
