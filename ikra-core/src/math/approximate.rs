//! The device's fast instructions, under names that say so. On the host they are the exact functions, so
//! that results differ in their last bits, or by more where the device's instruction is coarse.

#[cfg(not(target_arch = "nvptx64"))]
use super::Functions;
use super::GpuFloat;

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

#[cfg(target_arch = "nvptx64")]
macro_rules! instruction {
    ($text:literal, $x:expr) => {{
        let y: f32;
        // SAFETY: arithmetic on registers.
        unsafe { core::arch::asm!($text, out(reg32) y, in(reg32) $x, options(pure, nomem, nostack, preserves_flags)) };
        y
    }};
}

#[cfg(target_arch = "nvptx64")]
impl Approximate for f32 {
    #[inline(always)]
    fn sin_approx(self) -> Self {
        instruction!("sin.approx.f32 {0}, {1};", self)
    }
    #[inline(always)]
    fn cos_approx(self) -> Self {
        instruction!("cos.approx.f32 {0}, {1};", self)
    }
    #[inline(always)]
    fn exp_approx(self) -> Self {
        instruction!("ex2.approx.f32 {0}, {1};", self * core::f32::consts::LOG2_E)
    }
    #[inline(always)]
    fn ln_approx(self) -> Self {
        instruction!("lg2.approx.f32 {0}, {1};", self) * core::f32::consts::LN_2
    }
    #[inline(always)]
    fn rsqrt_approx(self) -> Self {
        instruction!("rsqrt.approx.f32 {0}, {1};", self)
    }
    #[inline(always)]
    fn rcp_approx(self) -> Self {
        instruction!("rcp.approx.f32 {0}, {1};", self)
    }
}

#[cfg(not(target_arch = "nvptx64"))]
impl Approximate for f32 {
    fn sin_approx(self) -> Self {
        Functions::sin(self)
    }
    fn cos_approx(self) -> Self {
        Functions::cos(self)
    }
    fn exp_approx(self) -> Self {
        Functions::exp(self)
    }
    fn ln_approx(self) -> Self {
        Functions::ln(self)
    }
    fn rsqrt_approx(self) -> Self {
        GpuFloat::rsqrt(self)
    }
    fn rcp_approx(self) -> Self {
        1.0 / self
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
