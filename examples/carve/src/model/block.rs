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

    /// The four bytes from each byte on. The last ones begin here and end in the next block.
    pub fn windows(self, next: Self) -> [u32; WINDOWS] {
        let ([a, b, c, d], [e, f, g, h]) = (self.words, next.words);
        let words = [a, b, c, d, e, f, g, h];
        let mut windows = [0; WINDOWS];
        for n in 0..WINDOWS {
            let pair = u64::from(words[n / 4]) | u64::from(words[n / 4 + 1]) << 32;
            windows[n] = (pair >> (n % 4 * 8)) as u32;
        }
        windows
    }
}

/// The bytes at which four bytes are compared: those of a block, and those at which the rest of a signature may be.
pub const WINDOWS: usize = BYTES + 12;

/// Whether the first four bytes of a signature are at a byte of the block.
pub fn may_match(windows: &[u32; WINDOWS], value: Block, mask: Block) -> bool {
    let mut may = false;
    for n in 0..BYTES {
        may |= windows[n] & mask.words[0] == value.words[0];
    }
    may
}

/// The bytes of the block at which a whole signature is, a bit for each.
pub fn matches(windows: &[u32; WINDOWS], value: Block, mask: Block) -> u32 {
    let mut matches = 0;
    for n in 0..BYTES {
        let mut differs = 0;
        for k in 0..4 {
            differs |= (windows[n + 4 * k] & mask.words[k]) ^ value.words[k];
        }
        matches |= u32::from(differs == 0) << n;
    }
    matches
}
