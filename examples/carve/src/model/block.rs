//! Sixteen bytes, and the comparison with a signature at each of them.

use ikra::prelude::*;

/// Bytes of a block.
pub const BYTES: usize = 16;

/// Sixteen bytes: one load on a GPU. The first is the lowest of the first word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Value)]
#[repr(C, align(16))]
pub struct Block {
    /// Four at a time.
    pub words: [u32; 4],
}

impl Block {
    /// Zeros.
    pub const ZERO: Self = Self { words: [0; 4] };

    /// Of a number, whose lowest byte is the first.
    pub fn of(number: u128) -> Self {
        Self { words: [number as u32, (number >> 32) as u32, (number >> 64) as u32, (number >> 96) as u32] }
    }

    /// The number whose lowest byte is the first.
    pub fn number(self) -> u128 {
        let [a, b, c, d] = self.words;
        u128::from(a) | u128::from(b) << 32 | u128::from(c) << 64 | u128::from(d) << 96
    }

    /// The four bytes from each byte on. The last ones begin here and end in the next block.
    pub fn starts(self, next: Self) -> [u32; BYTES] {
        let [a, b, c, d] = self.words;
        let words = [a, b, c, d, next.words[0]];
        let mut starts = [0; BYTES];
        for n in 0..BYTES {
            let pair = u64::from(words[n / 4]) | u64::from(words[n / 4 + 1]) << 32;
            starts[n] = (pair >> (n % 4 * 8)) as u32;
        }
        starts
    }

    /// The bytes from which on a signature matches, a bit for each.
    pub fn matches(self, next: Self, value: Self, mask: Self) -> u16 {
        let (value, mask) = (value.number(), mask.number());
        let (mut window, mut rest) = (self.number(), next.number());
        let mut matches = 0;
        for n in 0..BYTES {
            matches |= u16::from(window & mask == value) << n;
            window = window >> 8 | rest << 120;
            rest >>= 8;
        }
        matches
    }
}

/// Whether the first four bytes of a signature are at one of these starts.
pub fn may_match(starts: &[u32; BYTES], value: Block, mask: Block) -> bool {
    let mut may = false;
    for n in 0..BYTES {
        may |= starts[n] & mask.words[0] == value.words[0];
    }
    may
}
