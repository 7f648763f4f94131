//! Operations that IEEE 754 defines to the last bit, by the compiler's intrinsics; and the smaller and larger of two
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
