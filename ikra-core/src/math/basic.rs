//! Operations that IEEE 754 defines to the last bit: `std`'s on the host, instructions on the device.

/// For a type, by its methods on the host and the compiler's intrinsics on the device.
macro_rules! basic {
    ($module:ident $ty:ident $sqrt:ident $floor:ident $ceil:ident $trunc:ident $round:ident $even:ident $fma:ident) => {
        pub(super) mod $module {
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn sqrt(x: $ty) -> $ty {
                x.sqrt()
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn floor(x: $ty) -> $ty {
                x.floor()
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn ceil(x: $ty) -> $ty {
                x.ceil()
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn trunc(x: $ty) -> $ty {
                x.trunc()
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn round(x: $ty) -> $ty {
                x.round()
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn round_ties_even(x: $ty) -> $ty {
                x.round_ties_even()
            }
            #[cfg(not(target_arch = "nvptx64"))]
            #[inline(always)]
            pub(in super::super) fn mul_add(x: $ty, a: $ty, b: $ty) -> $ty {
                x.mul_add(a, b)
            }

            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn sqrt(x: $ty) -> $ty {
                core::intrinsics::$sqrt(x)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn floor(x: $ty) -> $ty {
                core::intrinsics::$floor(x)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn ceil(x: $ty) -> $ty {
                core::intrinsics::$ceil(x)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn trunc(x: $ty) -> $ty {
                core::intrinsics::$trunc(x)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn round(x: $ty) -> $ty {
                core::intrinsics::$round(x)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn round_ties_even(x: $ty) -> $ty {
                core::intrinsics::$even(x)
            }
            #[cfg(target_arch = "nvptx64")]
            #[inline(always)]
            pub(in super::super) fn mul_add(x: $ty, a: $ty, b: $ty) -> $ty {
                core::intrinsics::$fma(x, a, b)
            }
        }
    };
}

basic!(single f32 sqrtf32 floorf32 ceilf32 truncf32 roundf32 round_ties_even_f32 fmaf32);
basic!(double f64 sqrtf64 floorf64 ceilf64 truncf64 roundf64 round_ties_even_f64 fmaf64);
