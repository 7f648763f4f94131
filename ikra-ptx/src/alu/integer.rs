//! Arithmetic of integers.

/// Integers of one width and signedness.
pub trait Integer: super::Lane + PartialOrd + Ord {
    /// The upper half of the product.
    fn mul_hi(self, other: Self) -> Self;
    /// The quotient; all ones if the divisor is 0, as NVIDIA's code for it gives.
    fn div(self, other: Self) -> Self;
    /// The remainder; the dividend if the divisor is 0.
    fn rem(self, other: Self) -> Self;
    /// The sum, without overflow.
    fn add_sat(self, other: Self) -> Self;
    /// The difference, without overflow.
    fn sub_sat(self, other: Self) -> Self;
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn sub(self, other: Self) -> Self;
    /// The product's lower half.
    fn mul(self, other: Self) -> Self;
    /// The absolute difference.
    fn difference(self, other: Self) -> Self;
    /// The value shifted to the right; beyond its bits, copies of the sign.
    fn shr(self, by: u32) -> Self;
    /// The value, by its bits.
    fn shl(self, by: u32) -> Self;
}

macro_rules! integer {
    ($($type:ty, $wide:ty, $unsigned:ty;)*) => {
        $(
            impl Integer for $type {
                #[inline(always)]
                fn mul_hi(self, other: Self) -> Self {
                    ((self as $wide * other as $wide) >> <$type>::BITS) as Self
                }

                #[inline(always)]
                fn div(self, other: Self) -> Self {
                    if other == 0 { <$unsigned>::MAX as Self } else { self.wrapping_div(other) }
                }

                #[inline(always)]
                fn rem(self, other: Self) -> Self {
                    if other == 0 { self } else { self.wrapping_rem(other) }
                }

                #[inline(always)]
                fn add_sat(self, other: Self) -> Self {
                    self.saturating_add(other)
                }

                #[inline(always)]
                fn sub_sat(self, other: Self) -> Self {
                    self.saturating_sub(other)
                }

                #[inline(always)]
                fn add(self, other: Self) -> Self {
                    self.wrapping_add(other)
                }

                #[inline(always)]
                fn sub(self, other: Self) -> Self {
                    self.wrapping_sub(other)
                }

                #[inline(always)]
                fn mul(self, other: Self) -> Self {
                    self.wrapping_mul(other)
                }

                #[inline(always)]
                fn difference(self, other: Self) -> Self {
                    self.abs_diff(other) as Self
                }

                #[inline(always)]
                fn shr(self, by: u32) -> Self {
                    if by < Self::BITS { self >> by } else if self < <$type>::default() { <$unsigned>::MAX as Self } else { 0 }
                }

                #[inline(always)]
                fn shl(self, by: u32) -> Self {
                    if by < Self::BITS { self << by } else { 0 }
                }
            }
        )*
    };
}

integer! {
    u16, u32, u16;
    i16, i32, u16;
    u32, u64, u32;
    i32, i64, u32;
    u64, u128, u64;
    i64, i128, u64;
}

/// Bits 0 to 23 of an operand of `mul24`, with its sign if it has one.
#[inline(always)]
pub const fn low_24(a: u32, signed: bool) -> i64 {
    if signed { (((a << 8) as i32) >> 8) as i64 } else { (a & 0xff_ffff) as i64 }
}

/// `mul24`: bits 0 to 31 or 16 to 47 of the product of 24 bits each.
#[inline(always)]
pub const fn mul24(a: u32, b: u32, signed: bool, high: bool) -> u32 {
    let product = low_24(a, signed) * low_24(b, signed);
    if high { (product >> 16) as u32 } else { product as u32 }
}

/// `dp4a`: the sum of the products of four bytes, plus `c`.
#[inline(always)]
pub fn dp4a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool) -> u32 {
    let byte =
        |bytes: [u8; 4], n: usize, signed: bool| if signed { i32::from(bytes[n] as i8) } else { i32::from(bytes[n]) };
    let (a, b) = (a.to_le_bytes(), b.to_le_bytes());
    (0..4).fold(c, |sum, n| sum.wrapping_add((byte(a, n, a_signed) * byte(b, n, b_signed)) as u32))
}

/// `dp2a`: the sum of the products of two halves of `a` with two bytes of `b`, plus `c`.
#[inline(always)]
pub fn dp2a(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, high: bool) -> u32 {
    let bytes = b.to_le_bytes();
    (0..2).fold(c, |sum, n| {
        let half = (a >> (16 * n)) as u16;
        let half = if a_signed { i32::from(half as i16) } else { i32::from(half) };
        let byte = bytes[n as usize + if high { 2 } else { 0 }];
        let byte = if b_signed { i32::from(byte as i8) } else { i32::from(byte) };
        sum.wrapping_add(half.wrapping_mul(byte) as u32)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_halves_and_divisions() {
        assert_eq!(u32::MAX.mul_hi(u32::MAX), 0xffff_fffe);
        assert_eq!((-1i32).mul_hi(1), -1);
        assert_eq!(u64::MAX.mul_hi(2), 1);
        assert_eq!(i64::MIN.mul_hi(-1), 0);
        assert_eq!(0x1234u16.mul_hi(0x100), 0x12);
        assert_eq!(Integer::div(7u32, 0), u32::MAX);
        assert_eq!(Integer::rem(7i32, 0), 7);
        assert_eq!(Integer::div(i32::MIN, -1), i32::MIN);
        assert_eq!(Integer::rem(-7i64, 4), -3);
        assert_eq!(5u32.difference(9), 4);
        assert_eq!(i32::MIN.difference(i32::MAX), -1);
    }

    #[test]
    fn shifts_clamp() {
        assert_eq!(Integer::shl(1u32, 32), 0);
        assert_eq!(Integer::shl(1u32, 31), 1 << 31);
        assert_eq!(Integer::shr(u64::MAX, 64), 0);
        assert_eq!(Integer::shr(-5i32, 40), -1);
        assert_eq!(Integer::shr(5i16, 16), 0);
    }

    #[test]
    fn products_of_parts() {
        assert_eq!(mul24(0xff00_0003, 5, false, false), 15);
        assert_eq!(mul24(0x00ff_ffff, 2, true, false), -2i32 as u32);
        assert_eq!(mul24(0x0080_0000, 0x0080_0000, false, true), (1u64 << 30) as u32);
        assert_eq!(dp4a(0x0102_03ff, 0x0101_0101, 10, true, true), 10 + 1 + 2 + 3 - 1);
        assert_eq!(dp4a(0x0102_03ff, 0x0101_0101, 10, false, false), 10 + 1 + 2 + 3 + 255);
        assert_eq!(dp2a(0x0002_ffff, 0x0403_0201, 0, true, true, false), (-1i32 + 4) as u32);
        assert_eq!(dp2a(0x0002_0001, 0x0403_0201, 0, true, true, true), 3 + 8);
    }
}
