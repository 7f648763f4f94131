//! Fields of bits, permutations, logic.

/// `bfe`: `len` bits from `position` on, with the sign of the last one if signed.
#[inline(always)]
pub const fn bfe(a: u64, position: u32, len: u32, width: u32, signed: bool) -> u64 {
    let (position, len) = (position & 0xff, len & 0xff);
    let top = width - 1;
    let sign = if !signed || len == 0 {
        0
    } else {
        let last = position + len - 1;
        (a >> (if last < top { last } else { top })) & 1
    };
    let mut value = if sign == 1 { u64::MAX } else { 0 };
    if len > 0 {
        let there = width.saturating_sub(position);
        let taken = if len < there { len } else { there };
        let mask = if taken >= 64 { u64::MAX } else { (1 << taken) - 1 };
        let bits = if position >= 64 { 0 } else { a >> position };
        value = value & !mask | bits & mask;
    }
    if width == 32 { value & 0xffff_ffff } else { value }
}

/// `bfi`: `b` with `len` bits of `a` from `position` on.
#[inline(always)]
pub const fn bfi(a: u64, b: u64, position: u32, len: u32, width: u32) -> u64 {
    let (position, len) = (position & 0xff, len & 0xff);
    if position >= width || len == 0 {
        return b;
    }
    let there = width - position;
    let taken = if len < there { len } else { there };
    let mask = (if taken >= 64 { u64::MAX } else { (1 << taken) - 1 }) << position;
    b & !mask | (a << position) & mask
}

/// `bfind`: the position of the highest bit that differs from the sign (or is 1, if unsigned); all ones if there is none.
#[inline(always)]
pub const fn bfind(a: u64, width: u32, signed: bool, shift_amount: bool) -> u32 {
    let a = if signed && (a >> (width - 1)) & 1 == 1 { !a } else { a };
    let a = if width == 32 { a & 0xffff_ffff } else { a };
    if a == 0 {
        return u32::MAX;
    }
    let position = 63 - a.leading_zeros();
    if shift_amount { width - 1 - position } else { position }
}

/// `fns`: the position of the `offset`-th set bit from `base` on, upwards or downwards; all ones if there is none.
pub fn fns(mask: u32, base: u32, offset: i32) -> u32 {
    let base = base & 31;
    let mut positions: Box<dyn Iterator<Item = u32>> =
        if offset >= 0 { Box::new(base..32) } else { Box::new((0..=base).rev()) };
    if offset == 0 {
        return if mask >> base & 1 == 1 { base } else { u32::MAX };
    }
    let nth = offset.unsigned_abs() as usize - 1;
    let mut set = positions.by_ref().filter(|position| mask >> position & 1 == 1);
    set.nth(nth).unwrap_or(u32::MAX)
}

/// How `prmt` selects bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Permutation {
    /// Each by four bits of the selector.
    Index,
    /// `.f4e`
    Forward,
    /// `.b4e`
    Backward,
    /// `.rc8`
    Replicate8,
    /// `.ecl`
    EdgeLeft,
    /// `.ecr`
    EdgeRight,
    /// `.rc16`
    Replicate16,
}

/// `prmt`: four of the eight bytes of `a` and `b`.
#[inline(always)]
pub fn prmt(a: u32, b: u32, selector: u32, mode: Permutation) -> u32 {
    let bytes = (u64::from(a) | u64::from(b) << 32).to_le_bytes();
    let s = (selector & 3) as usize;
    let pick = match mode {
        Permutation::Index => {
            let mut result = [0; 4];
            for (n, byte) in result.iter_mut().enumerate() {
                let nibble = selector >> (4 * n) & 15;
                let value = bytes[(nibble & 7) as usize];
                *byte = if nibble & 8 == 0 { value } else { ((value as i8) >> 7) as u8 };
            }
            return u32::from_le_bytes(result);
        }
        Permutation::Forward => [s, s + 1, s + 2, s + 3],
        Permutation::Backward => [s, (s + 7) % 8, (s + 6) % 8, (s + 5) % 8],
        Permutation::Replicate8 => [s; 4],
        Permutation::EdgeLeft => [s, s.max(1), s.max(2), 3],
        Permutation::EdgeRight => [0, s.min(1), s.min(2), s],
        Permutation::Replicate16 => {
            let low = s % 2 * 2;
            [low, low + 1, low, low + 1]
        }
    };
    u32::from_le_bytes(pick.map(|n| bytes[n]))
}

/// `shf`: the funnel shift of `b:a`; by at most 32, or by the amount's lower five bits.
#[inline(always)]
pub const fn shf(a: u32, b: u32, amount: u32, left: bool, wrap: bool) -> u32 {
    let by = if wrap {
        amount & 31
    } else if amount < 32 {
        amount
    } else {
        32
    };
    let pair = (b as u64) << 32 | a as u64;
    if left { ((pair << by) >> 32) as u32 } else { (pair >> by) as u32 }
}

/// `lop3`: any function of three bits, by its table.
#[inline(always)]
pub const fn lop3(a: u32, b: u32, c: u32, table: u8) -> u32 {
    let mut result = 0;
    let mut row = 0;
    while row < 8 {
        if table >> row & 1 == 1 {
            let (a, b, c) = (
                if row & 4 != 0 { a } else { !a },
                if row & 2 != 0 { b } else { !b },
                if row & 1 != 0 { c } else { !c },
            );
            result |= a & b & c;
        }
        row += 1;
    }
    result
}

/// A loaded value in its register: the bits of a signed value and the bits of a wider register, if there are such.
#[inline(always)]
pub const fn extended(value: u64, extend: Option<(u32, u32)>) -> u64 {
    match extend {
        None => value,
        Some((bits, register)) => {
            let wide = (((value << (64 - bits)) as i64) >> (64 - bits)) as u64;
            if register == 64 { wide } else { wide & ((1 << register) - 1) }
        }
    }
}

/// Part `n` of a value in parts of this many bits, fewer than 64.
#[inline(always)]
pub const fn part(whole: u64, n: u32, bits: u32) -> u64 {
    whole >> (n * bits) & ((1 << bits) - 1)
}

/// A value with part `n` set, which was 0.
#[inline(always)]
pub const fn with_part(whole: u64, part: u64, n: u32, bits: u32) -> u64 {
    whole | part << (n * bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields() {
        assert_eq!(bfe(0xabcd_1234, 8, 8, 32, false), 0x12);
        assert_eq!(bfe(0x0000_8000, 8, 8, 32, true), 0xffff_ff80);
        assert_eq!(bfe(0xf000_0000, 28, 8, 32, true), 0xffff_ffff);
        assert_eq!(bfe(0xf000_0000, 40, 8, 32, false), 0);
        assert_eq!(bfe(u64::MAX, 0, 64, 64, false), u64::MAX);
        assert_eq!(bfe(0x1234, 0, 0, 32, true), 0);
        assert_eq!(bfi(0xff, 0, 4, 4, 32), 0xf0);
        assert_eq!(bfi(0xff, 0x1111_1111, 32, 4, 32), 0x1111_1111);
        assert_eq!(bfi(0xff, 0, 28, 8, 32), 0xf000_0000);
        assert_eq!(bfi(u64::MAX, 0, 0, 64, 64), u64::MAX);
        assert_eq!(bfind(0, 32, false, false), u32::MAX);
        assert_eq!(bfind(0xffff_ffff, 32, true, false), u32::MAX);
        assert_eq!(bfind(0x10, 32, false, true), 27);
        assert_eq!(bfind(0xffff_fff0, 32, true, false), 3);
        assert_eq!(fns(0b1011_0000, 0, 2), 5);
        assert_eq!(fns(0b1011_0000, 7, -2), 5);
        assert_eq!(fns(0b1011_0000, 6, 0), u32::MAX);
    }

    #[test]
    fn permutations() {
        assert_eq!(prmt(0x3322_1100, 0x7766_5544, 0x7531, Permutation::Index), 0x7755_3311);
        assert_eq!(prmt(0x8022_1100, 0, 0xb000, Permutation::Index), 0xff00_0000);
        assert_eq!(prmt(0x3322_1100, 0x7766_5544, 3, Permutation::Forward), 0x6655_4433);
        assert_eq!(prmt(0x3322_1100, 0x7766_5544, 1, Permutation::Backward), 0x6677_0011);
        assert_eq!(prmt(0x3322_1100, 0x7766_5544, 2, Permutation::EdgeLeft), 0x3322_2222);
        assert_eq!(prmt(0x3322_1100, 0x7766_5544, 1, Permutation::EdgeRight), 0x1111_1100);
        assert_eq!(prmt(0x3322_1100, 0, 1, Permutation::Replicate16), 0x3322_3322);
    }

    #[test]
    fn shifts_of_pairs_and_tables() {
        assert_eq!(shf(0x8000_0001, 0x1234_5678, 4, true, true), 0x2345_6788);
        assert_eq!(shf(0x8000_0001, 0x1234_5678, 4, false, true), 0x8800_0000);
        assert_eq!(shf(1, 2, 32, true, false), 1);
        assert_eq!(shf(1, 2, 99, false, false), 2);
        assert_eq!(shf(1, 2, 32, true, true), 2);
        let (a, b, c) = (0xf0f0_1234, 0xcccc_5678, 0xaaaa_9abc);
        assert_eq!(lop3(a, b, c, 0x80), a & b & c);
        assert_eq!(lop3(a, b, c, 0x96), a ^ b ^ c);
        assert_eq!(lop3(a, b, c, 0xfe), a | b | c);
        assert_eq!(lop3(a, b, c, 0xca), a & b | !a & c);
    }
}
