//! The minimum and maximum of two floating-point numbers, defined for zeros and NaN, with equal bits on host and
//! device.
//!
//! `f32::min` and `f32::max` do not specify which of two zeros they return, and processors differ.

macro_rules! extremes {
    ($($module:ident $ty:ident)*) => { $(
        /// For one type.
        pub mod $module {
            use crate::target::arithmetic::$module as arithmetic;

            /// The minimum: −0 is less than 0, and a number less than NaN.
            #[inline(always)]
            #[must_use]
            pub fn min(a: $ty, b: $ty) -> $ty {
                arithmetic::min(a, b)
            }

            /// The maximum: 0 is greater than −0, and a number greater than NaN.
            #[inline(always)]
            #[must_use]
            pub fn max(a: $ty, b: $ty) -> $ty {
                arithmetic::max(a, b)
            }
        }
    )* };
}

extremes! { single f32 double f64 }

#[cfg(test)]
mod tests {
    use super::{double, single};

    #[test]
    fn zeros_and_nan_have_their_order() {
        let (zero, minus) = (0.0_f32.to_bits(), (-0.0_f32).to_bits());
        for (a, b) in [(0.0, -0.0), (-0.0, 0.0)] {
            assert_eq!((single::min(a, b).to_bits(), single::max(a, b).to_bits()), (minus, zero));
            let (a, b) = (f64::from(a), f64::from(b));
            assert_eq!((double::min(a, b).to_bits(), double::max(a, b).to_bits()), (1 << 63, 0));
        }
        assert_eq!((single::min(-0.0, -0.0).to_bits(), single::max(-0.0, -0.0).to_bits()), (minus, minus));
        for x in [0.0, -0.0, 1.5, -1e-45, f32::INFINITY, f32::NEG_INFINITY, f32::MAX] {
            for extreme in [single::min, single::max] {
                assert_eq!(extreme(x, f32::NAN).to_bits(), x.to_bits());
                assert_eq!(extreme(f32::NAN, x).to_bits(), x.to_bits());
            }
            assert_eq!((single::min(x, 0.5), single::max(x, 0.5)), (x.min(0.5), x.max(0.5)));
            assert_eq!((single::min(0.5, x), single::max(0.5, x)), (x.min(0.5), x.max(0.5)));
        }
        assert!(single::min(f32::NAN, f32::NAN).is_nan() && single::max(f32::NAN, f32::NAN).is_nan());
    }
}
