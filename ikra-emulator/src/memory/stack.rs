//! Local memory of one thread: its stack.

/// Bytes of a stack, and whether each is initialised.
#[derive(Default)]
pub(crate) struct Stack {
    words: Vec<u64>,
    written: Vec<u8>,
}

impl Stack {
    /// Makes room up to `end`; the bytes from `start` on are uninitialised.
    pub(crate) fn open(&mut self, start: usize, end: usize) {
        let words = end.div_ceil(8);
        if self.words.len() < words {
            self.words.resize(words, 0);
            self.written.resize(words, 0);
        }
        // Frames begin at multiples of eight bytes.
        self.written[start / 8..words].fill(0);
    }

    /// Whether `width` bytes lie within.
    #[inline(always)]
    pub(crate) fn holds(&self, at: usize, width: usize, end: usize) -> bool {
        at < end && end - at >= width && end <= self.words.len() * 8
    }

    #[inline(always)]
    pub(crate) fn load(&self, at: usize, width: usize) -> u64 {
        (self.words[at / 8] >> (at % 8 * 8)) & crate::compute::low(width)
    }

    #[inline(always)]
    pub(crate) fn store(&mut self, at: usize, width: usize, value: u64, bits: u8) {
        let (shift, mask) = (at % 8 * 8, crate::compute::low(width));
        let word = &mut self.words[at / 8];
        *word = *word & !(mask << shift) | (value & mask) << shift;
        let all = ((1u16 << width) - 1) as u8;
        let written = &mut self.written[at / 8];
        *written = *written & !(all << (at % 8)) | (bits & all) << (at % 8);
    }

    #[inline(always)]
    pub(crate) fn written(&self, at: usize, width: usize) -> u8 {
        self.written[at / 8] >> (at % 8) & ((1u16 << width) - 1) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_begin_unwritten() {
        let mut stack = Stack::default();
        stack.open(0, 24);
        stack.store(4, 4, 0x1234_5678, 0xf);
        stack.store(16, 8, u64::MAX, 0xff);
        assert_eq!((stack.load(6, 2), stack.written(0, 8)), (0x1234, 0xf0));
        stack.open(16, 40);
        assert_eq!((stack.written(16, 8), stack.written(4, 4)), (0, 0xf));
        assert!(stack.holds(36, 4, 40) && !stack.holds(38, 4, 40) && !stack.holds(64, 4, 40));
    }
}
