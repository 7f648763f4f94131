//! Sine, cosine and tangent of `f32`, without `f64`.

use core::f32::consts::FRAC_2_PI;

/// An angle as a multiple of π/2 and a remainder in −π/4 … π/4.
pub(super) struct Reduced {
    /// The multiple, modulo 4.
    quadrant: u32,
    rest: f32,
}

/// Angles up to this are reduced by subtracting multiples of π/2 in parts.
const SMALL: f32 = 512.0;

/// π/2 in parts. All but the last have so few bits that their products with numbers of up to 13 bits are exact.
const PARTS: [f32; 4] = [1.570_312_5, 4.837_513e-4, 7.549_533_6e-8, 2.563_344e-12];

/// 2/π as a binary fraction, in words of 32 bits: enough for the largest `f32`.
const TWO_OVER_PI: [u32; 8] =
    [0xa2f9_836e, 0x4e44_1529, 0xfc27_57d1, 0xf534_ddc0, 0xdb62_9599, 0x3c43_9041, 0xfe51_63ab, 0xdebb_c561];

#[inline]
pub(super) fn reduce(x: f32) -> Reduced {
    if x.abs() > SMALL {
        return reduce_large(x);
    }
    // Rounds to the nearest integer: at this size the last bit of the sum is 1.
    const ROUNDER: f32 = 12_582_912.0;
    let multiple = (x * FRAC_2_PI + ROUNDER) - ROUNDER;
    let mut rest = x;
    for part in PARTS {
        rest -= multiple * part;
    }
    Reduced { quadrant: multiple as i32 as u32 & 3, rest }
}

/// Multiplies by 2/π in integers. Only the bits are needed that become the fraction and the last bits before the point
/// (Payne and Hanek).
fn reduce_large(x: f32) -> Reduced {
    let bits = x.to_bits();
    let exponent = (bits >> 23 & 0xff) as i32;
    if exponent == 0xff {
        return Reduced { quadrant: 0, rest: f32::NAN };
    }
    let mantissa = u64::from(bits & 0x7f_ffff | 0x80_0000);
    // |x| = mantissa · 2^shift, the shift at least -14, since |x| > 512.
    let shift = exponent - 150;
    // 96 bits of 2/π from the first that matters: two before the point of the product.
    let first = (shift - 2 + 24).max(0) - 24;
    let window = |offset: i32| -> u64 {
        let at = first + offset;
        if at <= -32 {
            return 0;
        }
        let word = |n: i32| if (0..8).contains(&n) { u64::from(TWO_OVER_PI[n as usize]) } else { 0 };
        let (n, within) = (at.div_euclid(32), at.rem_euclid(32));
        let pair = word(n) << 32 | word(n + 1);
        pair << within >> 32
    };
    let (high, middle, low) = (window(0), window(32), window(64));
    // The product has its point `first` bits further left than the window's: mantissa · window · 2^(shift - first - 96).
    let carry = (mantissa * low) >> 32;
    let product = (mantissa * middle).wrapping_add(carry).wrapping_add((mantissa * high) << 32);
    // Bits above the point: 64 - (64 - (shift - first)) of them.
    let above = shift - first;
    let fraction = product << above;
    let integer = if above == 0 { 0 } else { (product >> (64 - above)) as u32 };
    // To the nearest multiple: the remainder is in -1/2 … 1/2.
    let quadrant = integer.wrapping_add((fraction >> 63) as u32);
    // Times π/2, here scaled by 2^63, in integers too: the remainder is rounded once.
    const HALF_PI: u64 = 0xc90f_daa2_2168_c235;
    let signed = fraction as i64;
    let size = ((u128::from(signed.unsigned_abs()) * u128::from(HALF_PI)) >> 64) as u64;
    let size = size as f32 * (1.0 / 9_223_372_036_854_775_808.0);
    let rest = if signed < 0 { -size } else { size };
    if bits >> 31 == 0 {
        Reduced { quadrant, rest }
    } else {
        Reduced { quadrant: 0_u32.wrapping_sub(quadrant), rest: -rest }
    }
}

/// The sine in −π/4 … π/4.
#[inline]
fn sine(x: f32) -> f32 {
    let z = x * x;
    let p = (-1.951_529_6e-4 * z + 8.332_161e-3) * z - 1.666_665_5e-1;
    p * z * x + x
}

/// The cosine in −π/4 … π/4.
#[inline]
fn cosine(x: f32) -> f32 {
    let z = x * x;
    let p = (2.443_315_7e-5 * z - 1.388_731_6e-3) * z + 4.166_664_6e-2;
    p * z * z - 0.5 * z + 1.0
}

pub(super) fn sin_cos(x: f32) -> (f32, f32) {
    let Reduced { quadrant, rest } = reduce(x);
    let (s, c) = (sine(rest), cosine(rest));
    match quadrant & 3 {
        0 => (if x == 0.0 { x } else { s }, c),
        1 => (c, -s),
        2 => (-s, -c),
        _ => (-c, s),
    }
}

pub(super) fn tan(x: f32) -> f32 {
    let Reduced { quadrant, rest } = reduce(x);
    let z = rest * rest;
    // The tangent in -π/4 … π/4 by its own polynomial; the quotient of sine and cosine is less accurate.
    let p = ((((9.385_402e-3 * z + 3.119_922_3e-3) * z + 2.443_013_6e-2) * z + 5.341_128e-2) * z + 1.333_879_9e-1) * z
        + 3.333_315_7e-1;
    let t = p * z * rest + rest;
    if x == 0.0 {
        x
    } else if quadrant & 1 == 0 {
        t
    } else {
        -1.0 / t
    }
}
