//! Bytes that several threads access, and whether each is initialised.

use std::sync::atomic::{
    AtomicU8, AtomicU64,
    Ordering::{AcqRel, Acquire, Relaxed, Release},
};

/// Zeroed bytes in words of 64 bits, with one bit per byte: whether it is initialised.
///
/// All accesses are atomic accesses of whole words, so that host threads may run blocks of one launch at once. Narrower
/// stores exchange the word. Loads acquire and stores release, which costs nothing on x86-64.
pub(crate) struct Cells {
    words: Box<[AtomicU64]>,
    /// A bit is 1 if its byte is no longer as it was at first. So neither uninitialised nor zeroed memory is touched
    /// before it is used.
    changed: Box<[AtomicU8]>,
    /// Whether a byte is initialised at first: all bits, or none.
    first: u8,
    bytes: usize,
}

const fn mask(width: usize) -> u64 {
    if width >= 8 { u64::MAX } else { (1 << (width * 8)) - 1 }
}

impl Cells {
    /// Uninitialised bytes.
    pub(crate) fn new(bytes: usize) -> Self {
        let words = bytes.div_ceil(8);
        Self { words: bytemuck::zeroed_slice_box(words), changed: bytemuck::zeroed_slice_box(words), first: 0, bytes }
    }

    /// Bytes that are initialised with zeros.
    pub(crate) fn zeroed(bytes: usize) -> Self {
        Self { first: 0xff, ..Self::new(bytes) }
    }

    /// The number of bytes.
    pub(crate) const fn bytes(&self) -> usize {
        self.bytes
    }

    /// The address on the host of the first byte.
    pub(crate) fn host_address(&self) -> u64 {
        self.words.as_ptr().expose_provenance() as u64
    }

    /// The value of `width` bytes (1, 2, 4 or 8), at a multiple of `width`.
    #[inline(always)]
    pub(crate) fn load(&self, at: usize, width: usize) -> u64 {
        let word = self.words[at / 8].load(Acquire);
        if width == 8 { word } else { (word >> (at % 8 * 8)) & mask(width) }
    }

    /// Stores `width` bytes (1, 2, 4 or 8), at a multiple of `width`.
    #[inline(always)]
    pub(crate) fn store(&self, at: usize, width: usize, value: u64) {
        let word = &self.words[at / 8];
        if width == 8 {
            word.store(value, Release);
        } else {
            let (shift, mask) = (at % 8 * 8, mask(width));
            let mut old = word.load(Relaxed);
            loop {
                let new = old & !(mask << shift) | (value & mask) << shift;
                match word.compare_exchange_weak(old, new, AcqRel, Relaxed) {
                    Ok(_) => break,
                    Err(now) => old = now,
                }
            }
        }
    }

    /// The same, if no other thread stores at the same time.
    #[inline(always)]
    pub(crate) fn store_alone(&self, at: usize, width: usize, value: u64) {
        let word = &self.words[at / 8];
        let (shift, mask) = (at % 8 * 8, mask(width));
        let old = word.load(Relaxed);
        word.store(old & !(mask << shift) | (value & mask) << shift, Relaxed);
    }

    /// Replaces `width` bytes at once by the result of `new`; returns the old ones.
    #[inline]
    pub(crate) fn update(&self, at: usize, width: usize, mut new: impl FnMut(u64) -> u64) -> u64 {
        let word = &self.words[at / 8];
        let (shift, mask) = (at % 8 * 8, mask(width));
        let mut old = word.load(Acquire);
        loop {
            let value = (old >> shift) & mask;
            let next = old & !(mask << shift) | (new(value) & mask) << shift;
            match word.compare_exchange_weak(old, next, AcqRel, Acquire) {
                Ok(_) => return value,
                Err(now) => old = now,
            }
        }
    }

    /// The initialised ones of `width` bytes (at most 8, within one word): a bit for each.
    #[inline(always)]
    pub(crate) fn written(&self, at: usize, width: usize) -> u8 {
        let bits = (self.changed[at / 8].load(Relaxed) ^ self.first) >> (at % 8);
        (u64::from(bits) & mask_of_bytes(width)) as u8
    }

    /// Notes which of `width` bytes (at most 8, within one word) are initialised now.
    #[inline(always)]
    pub(crate) fn set_written(&self, at: usize, width: usize, bits: u8) {
        let cell = &self.changed[at / 8];
        let all = (mask_of_bytes(width) as u8) << (at % 8);
        let bits = ((bits << (at % 8)) ^ self.first) & all;
        let old = cell.load(Relaxed);
        if old & all == bits {
            return;
        }
        if bits == all {
            cell.fetch_or(all, Relaxed);
        } else {
            // Not one step. If two threads write bytes of one word, one of them uninitialised bytes, the other one's
            // bits may be lost. Only findings depend on them, not memory.
            cell.fetch_and(!all, Relaxed);
            cell.fetch_or(bits, Relaxed);
        }
    }

    /// Reads bytes at any alignment.
    ///
    /// # Panics
    ///
    /// If the bytes are not within.
    pub(crate) fn read(&self, at: usize, to: &mut [u8]) {
        let mut n = 0;
        while n < to.len() {
            let (word, within) = ((at + n) / 8, (at + n) % 8);
            let len = (8 - within).min(to.len() - n);
            let value = self.words[word].load(Acquire).to_le_bytes();
            to[n..n + len].copy_from_slice(&value[within..within + len]);
            n += len;
        }
    }

    /// Writes bytes at any alignment, and marks them as initialised.
    ///
    /// # Panics
    ///
    /// If the bytes are not within.
    pub(crate) fn write(&self, at: usize, from: &[u8]) {
        let mut n = 0;
        while n < from.len() {
            let (word, within) = ((at + n) / 8, (at + n) % 8);
            let len = (8 - within).min(from.len() - n);
            let mut value = [0; 8];
            value[within..within + len].copy_from_slice(&from[n..n + len]);
            self.store_part(word, within, len, u64::from_le_bytes(value));
            n += len;
        }
    }

    /// Writes the same byte to a range, and marks it as initialised.
    ///
    /// # Panics
    ///
    /// If the bytes are not within.
    pub(crate) fn fill(&self, at: usize, byte: u8, bytes: usize) {
        let mut n = 0;
        while n < bytes {
            let (word, within) = ((at + n) / 8, (at + n) % 8);
            let len = (8 - within).min(bytes - n);
            self.store_part(word, within, len, u64::from_le_bytes([byte; 8]));
            n += len;
        }
    }

    fn store_part(&self, word: usize, within: usize, len: usize, value: u64) {
        if len == 8 {
            self.words[word].store(value, Release);
            self.changed[word].store(!self.first, Relaxed);
        } else {
            let mask = mask(len) << (within * 8);
            let _ = self.words[word].fetch_update(AcqRel, Relaxed, |old| Some(old & !mask | value & mask));
            self.set_written(word * 8 + within, len, 0xff);
        }
    }

    /// Copies bytes from other cells (or these, which may overlap), and whether they are initialised.
    ///
    /// # Panics
    ///
    /// If the bytes are not within.
    pub(crate) fn copy_from(&self, at: usize, from: &Cells, from_at: usize, bytes: usize) {
        const CHUNK: usize = 4096;
        let backwards = std::ptr::eq(self, from) && from_at < at;
        let chunks = bytes.div_ceil(CHUNK);
        let mut buffer = [0; CHUNK];
        let mut flags = [false; CHUNK];
        for n in 0..chunks {
            let n = if backwards { chunks - 1 - n } else { n };
            let (start, len) = (n * CHUNK, CHUNK.min(bytes - n * CHUNK));
            from.read(from_at + start, &mut buffer[..len]);
            let mut all = true;
            for k in 0..len {
                flags[k] = from.written(from_at + start + k, 1) != 0;
                all &= flags[k];
            }
            self.write(at + start, &buffer[..len]);
            if !all {
                for k in 0..len {
                    self.set_written(at + start + k, 1, u8::from(flags[k]));
                }
            }
        }
    }
}

const fn mask_of_bytes(width: usize) -> u64 {
    (1 << width) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_words_are_stored_alone() {
        let cells = Cells::new(20);
        cells.store(0, 8, u64::MAX);
        cells.store(4, 2, 0x1234);
        cells.store(7, 1, 0x56);
        assert_eq!(cells.load(0, 8), 0x56ff_1234_ffff_ffff);
        assert_eq!(cells.load(6, 2), 0x56ff);
        assert_eq!(cells.update(4, 4, |old| old + 1), 0x56ff_1234);
        assert_eq!(cells.load(4, 4), 0x56ff_1235);
    }

    #[test]
    fn bytes_remember_whether_they_were_written() {
        let cells = Cells::new(32);
        cells.write(3, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(cells.written(0, 8), 0b1111_1000);
        assert_eq!(cells.written(8, 8), 0b0000_1111);
        cells.copy_from(17, &cells, 1, 8);
        assert_eq!(cells.written(16, 8), 0b1111_1000);
        assert_eq!(cells.written(24, 1), 1);
        cells.set_written(19, 1, 0);
        assert_eq!(cells.written(16, 8), 0b1111_0000);
    }

    #[test]
    fn zeros_were_written() {
        let cells = Cells::zeroed(32);
        assert_eq!((cells.load(8, 8), cells.written(8, 8), cells.written(5, 1)), (0, 0xff, 1));
        cells.set_written(9, 2, 0b10);
        assert_eq!(cells.written(8, 8), 0b1111_1101);
        cells.copy_from(16, &Cells::new(8), 0, 8);
        assert_eq!(cells.written(16, 8), 0);
        cells.write(17, &[1; 3]);
        assert_eq!(cells.written(16, 8), 0b0000_1110);
        cells.write(16, &[1; 8]);
        assert_eq!(cells.written(16, 8), 0xff);
        let other = Cells::new(32);
        other.copy_from(0, &cells, 8, 16);
        assert_eq!((other.written(0, 8), other.written(8, 8)), (0b1111_1101, 0xff));
    }

    #[test]
    fn copies_within_overlap_like_memmove() {
        let cells = Cells::new(20_000);
        let bytes = (0..9000).map(|n| (n % 251) as u8).collect::<Vec<_>>();
        cells.write(100, &bytes);
        cells.copy_from(133, &cells, 100, 9000);
        let mut read = vec![0; 9000];
        cells.read(133, &mut read);
        assert_eq!(read, bytes);
        cells.copy_from(120, &cells, 133, 9000);
        cells.read(120, &mut read);
        assert_eq!(read, bytes);
    }
}
