//! Operations that IEEE 754 defines to the last bit, by the compiler's intrinsics; and the minimum and maximum of two
//! numbers, by instructions.

macro_rules! operations {
    ($module:ident $ty:ident: $($name:ident($($arg:ident),*) by $intrinsic:ident)*; $class:ident $min:literal $max:literal) => {
        pub(crate) mod $module {
            pub(crate) use super::super::remainder::$module::rem;

            $(
                #[inline(always)]
                pub(crate) fn $name($($arg: $ty),*) -> $ty {
                    core::intrinsics::$intrinsic($($arg),*)
                }
            )*

            #[inline(always)]
            pub(crate) fn min(a: $ty, b: $ty) -> $ty {
                let smaller;
                // SAFETY: arithmetic on registers.
                unsafe {
                    core::arch::asm!(
                        $min, out($class) smaller, in($class) a, in($class) b,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                smaller
            }

            #[inline(always)]
            pub(crate) fn max(a: $ty, b: $ty) -> $ty {
                let larger;
                // SAFETY: arithmetic on registers.
                unsafe {
                    core::arch::asm!(
                        $max, out($class) larger, in($class) a, in($class) b,
                        options(pure, nomem, nostack, preserves_flags)
                    );
                }
                larger
            }
        }
    };
}

operations! {
    single f32:
        sqrt(x) by sqrtf32 floor(x) by floorf32 ceil(x) by ceilf32 trunc(x) by truncf32 round(x) by roundf32
        round_ties_even(x) by round_ties_even_f32 mul_add(x, a, b) by fmaf32;
    reg32 "min.f32 {0}, {1}, {2};" "max.f32 {0}, {1}, {2};"
}
operations! {
    double f64:
        sqrt(x) by sqrtf64 floor(x) by floorf64 ceil(x) by ceilf64 trunc(x) by truncf64 round(x) by roundf64
        round_ties_even(x) by round_ties_even_f64 mul_add(x, a, b) by fmaf64;
    reg64 "min.f64 {0}, {1}, {2};" "max.f64 {0}, {1}, {2};"
}

/// The number in a register, with its computation hidden from the compiler. Otherwise the compiler would subtract an
/// addend again in 64 bits.
#[inline(always)]
pub(crate) fn settled(number: u32) -> u32 {
    let settled;
    // SAFETY: a copy of a register.
    unsafe {
        core::arch::asm!(
            "mov.b32 {}, {};",
            lateout(reg32) settled,
            in(reg32) number,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    settled
}

/// The upper and the lower half of a product, by one instruction. With 64-bit arithmetic, operations on the halves
/// would be 64 bits wide as well, in two registers.
#[inline(always)]
pub(crate) const fn wide(a: u32, b: u32) -> (u32, u32) {
    core::intrinsics::const_eval_select((a, b), computed, multiplied)
}

const fn computed(a: u32, b: u32) -> (u32, u32) {
    let product = a as u64 * b as u64;
    ((product >> 32) as u32, product as u32)
}

#[inline(always)]
fn multiplied(a: u32, b: u32) -> (u32, u32) {
    let (high, low);
    // SAFETY: arithmetic on registers.
    unsafe {
        core::arch::asm!(
            "{{ .reg .b64 product; mul.wide.u32 product, {2}, {3}; mov.b64 {{{1}, {0}}}, product; }}",
            out(reg32) high,
            out(reg32) low,
            in(reg32) a,
            in(reg32) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    (high, low)
}

/// The device's fast instructions.
pub(crate) mod approximate {
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
        exp(x) = x * core::f32::consts::LOG2_E, "ex2.approx.ftz.f32 {0}, {1};", core::convert::identity;
        ln(x) = x, "lg2.approx.ftz.f32 {0}, {1};", times_ln_2;
        rsqrt(x) = x, "rsqrt.approx.ftz.f32 {0}, {1};", core::convert::identity;
        rcp(x) = x, "rcp.approx.ftz.f32 {0}, {1};", core::convert::identity;
    }

    #[inline(always)]
    fn times_ln_2(x: f32) -> f32 {
        x * core::f32::consts::LN_2
    }
}
