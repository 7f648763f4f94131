//! The device's fast instructions.

macro_rules! instructions {
    ($($name:ident($x:ident) = $before:expr, $text:literal, $after:expr;)*) => { $(
        #[inline(always)]
        pub(crate) fn $name($x: f32, _: impl FnOnce(f32) -> f32) -> f32 {
            let y: f32;
            // SAFETY: arithmetic on registers.
            unsafe {
                core::arch::asm!($text, out(reg32) y, in(reg32) $before, options(pure, nomem, nostack, preserves_flags));
            }
            $after(y)
        }
    )* };
}

instructions! {
    sin(x) = x, "sin.approx.f32 {0}, {1};", core::convert::identity;
    cos(x) = x, "cos.approx.f32 {0}, {1};", core::convert::identity;
    exp(x) = x * core::f32::consts::LOG2_E, "ex2.approx.f32 {0}, {1};", core::convert::identity;
    ln(x) = x, "lg2.approx.f32 {0}, {1};", times_ln_2;
    rsqrt(x) = x, "rsqrt.approx.f32 {0}, {1};", core::convert::identity;
    rcp(x) = x, "rcp.approx.f32 {0}, {1};", core::convert::identity;
}

#[inline(always)]
fn times_ln_2(x: f32) -> f32 {
    x * core::f32::consts::LN_2
}
