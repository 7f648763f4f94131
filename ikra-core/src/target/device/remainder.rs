//! The remainder of a division, exactly, as the host's operator `%` gives it.
//!
//! The device has no instruction for it, and the compiler's code for `%` there computes with a rounded quotient.

/// For a type with this many bits of mantissa, including the hidden one; `$wide` has `$step` more of them.
macro_rules! remainder {
    ($module:ident $ty:ident $bits:ident $mantissa:literal $wide:ident $step:literal) => {
        pub(crate) mod $module {
            /// Divides mantissas, some bits of the quotient at a time.
            #[inline]
            pub(crate) fn rem(x: $ty, y: $ty) -> $ty {
                const FRACTION: u32 = $mantissa - 1;
                const HIDDEN: $bits = 1 << FRACTION;
                const SIGN: $bits = 1 << ($bits::BITS - 1);
                const INFINITE: $bits = $ty::INFINITY.to_bits();

                /// The mantissa, and the exponent, which is at least 1.
                fn parts(magnitude: $bits) -> ($bits, u32) {
                    let exponent = (magnitude >> FRACTION) as u32;
                    let fraction = magnitude & (HIDDEN - 1);
                    if exponent == 0 { (fraction, 1) } else { (fraction | HIDDEN, exponent) }
                }

                let sign = x.to_bits() & SIGN;
                let (a, b) = (x.to_bits() & !SIGN, y.to_bits() & !SIGN);
                if a >= INFINITE || b > INFINITE || b == 0 {
                    return $ty::NAN;
                }
                if a < b {
                    return x;
                }
                let ((mut rest, exponent), (divisor, least)) = (parts(a), parts(b));
                let mut shift = exponent - least;
                rest %= divisor;
                while shift > 0 && rest != 0 {
                    let step = shift.min($step);
                    rest = (($wide::from(rest) << step) % $wide::from(divisor)) as $bits;
                    shift -= step;
                }
                if rest == 0 {
                    return $ty::from_bits(sign);
                }
                // Removes the leading zeros, as far as the exponent allows.
                let spare = (rest.leading_zeros() - ($bits::BITS - $mantissa)).min(least - 1);
                let (rest, exponent) = (rest << spare, (least - spare) as $bits);
                // The hidden bit adds one to the exponent, and is missing in a subnormal number.
                $ty::from_bits(sign | (((exponent - 1) << FRACTION) + rest))
            }
        }
    };
}

remainder!(single f32 u32 24 u64 40);
remainder!(double f64 u64 53 u64 11);

#[cfg(test)]
mod tests {
    use super::{double, single};

    /// Zeros, subnormal numbers, halves, powers of two and their neighbours, the largest numbers, infinity, NaN.
    fn singles() -> Vec<f32> {
        let mut all = vec![0.0, 1e-45, 3e-45, 1e-40, 0.1, 0.5, 1.5, 2.5, 3.7, 1e8, 1e10, f32::INFINITY, f32::NAN];
        for exponent in -149..128 {
            let power = 2.0_f32.powi(exponent);
            all.extend([power, power.next_up(), power.next_down()]);
        }
        all.extend([f32::MAX, f32::MIN_POSITIVE, 8_388_607.5, 16_777_215.0]);
        all.extend(all.clone().iter().map(|x| -x));
        all
    }

    fn same(a: f64, b: f64) -> bool {
        a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan()
    }

    #[test]
    fn it_is_the_operators() {
        let all = singles();
        for &x in &all {
            for &y in &all {
                let (got, expected) = (single::rem(x, y), x % y);
                assert!(same(got.into(), expected.into()), "{x:e} % {y:e} = {expected:e}, not {got:e}");
                let (x, y) = (f64::from(x), f64::from(y));
                let (got, expected) = (double::rem(x, y), x % y);
                assert!(same(got, expected), "{x:e} % {y:e} = {expected:e}, not {got:e}");
            }
        }
    }

    #[test]
    fn for_any_bits() {
        let mut state = 1_u64;
        let mut bits = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 32) << 32 | state.rotate_right(29) & 0xffff_ffff
        };
        for _ in 0..1_000_000 {
            let (x, y) = (f32::from_bits(bits() as u32), f32::from_bits(bits() as u32));
            let (got, expected) = (single::rem(x, y), x % y);
            assert!(same(got.into(), expected.into()), "{x:e} % {y:e} = {expected:e}, not {got:e}");
        }
        for n in 0..50_000 {
            let (x, mut y) = (f64::from_bits(bits()), f64::from_bits(bits()));
            if n % 2 == 0 {
                // Quotients of ordinary size, too.
                y = x * (f64::from(bits() as u32) / 1e9);
            }
            let (got, expected) = (double::rem(x, y), x % y);
            assert!(same(got, expected), "{x:e} % {y:e} = {expected:e}, not {got:e}");
        }
    }
}
