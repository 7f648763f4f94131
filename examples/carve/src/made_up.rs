//! An image that is made up: noise, with a header somewhere in each block.

use std::io::{self, Read};

use crate::signatures::Table;

/// One header begins in each block of so many bytes.
pub const BLOCK: u64 = 64 << 10;

/// An image of some size. The same size and seed give the same bytes.
#[derive(Clone, Copy, Debug)]
pub struct MadeUp<'t> {
    table: &'t Table,
    size: u64,
    seed: u64,
    at: u64,
}

/// SplitMix64 (Steele, Lea and Flood, 2014) as a function of a number.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

impl<'t> MadeUp<'t> {
    /// An image with headers of a table.
    pub fn new(table: &'t Table, size: u64, seed: u64) -> Self {
        Self { table, size, seed: mix(seed), at: 0 }
    }

    /// The header that begins in a block: its position, and the signature's number.
    pub fn planted(&self, block: u64) -> (u64, usize) {
        let random = mix(self.seed ^ !block);
        let signature = (random >> 32) % self.table.signatures().len() as u64;
        (block * BLOCK + random % BLOCK, signature as usize)
    }

    /// The noise from a multiple of eight bytes on.
    fn noise(&self, at: u64) -> [u8; 8] {
        mix(self.seed.wrapping_add(at / 8)).to_le_bytes()
    }

    /// Writes the noise that is at `self.at`.
    fn make_noise(&self, bytes: &mut [u8]) {
        let before = (self.at % 8) as usize;
        let (head, bytes) = bytes.split_at_mut(((8 - before) % 8).min(bytes.len()));
        head.copy_from_slice(&self.noise(self.at)[before..][..head.len()]);
        let at = self.at + head.len() as u64;
        for (n, bytes) in bytes.chunks_mut(8).enumerate() {
            bytes.copy_from_slice(&self.noise(at + 8 * n as u64)[..bytes.len()]);
        }
    }

    /// Writes the headers over the noise. One that begins in a block may end in the next.
    fn plant(&self, bytes: &mut [u8]) {
        let end = self.at + bytes.len() as u64;
        for block in (self.at / BLOCK).saturating_sub(1)..end.div_ceil(BLOCK) {
            let (position, number) = self.planted(block);
            for (n, byte) in self.table.signatures()[number].pattern().iter().enumerate() {
                let at = position + n as u64;
                if let Some(byte) = byte
                    && (self.at..end).contains(&at)
                {
                    bytes[(at - self.at) as usize] = *byte;
                }
            }
        }
    }
}

impl Read for MadeUp<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        let length = (self.size - self.at).min(bytes.len() as u64) as usize;
        let bytes = &mut bytes[..length];
        self.make_noise(bytes);
        self.plant(bytes);
        self.at += length as u64;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_do_not_depend_on_how_they_are_read() {
        let table = Table::built_in();
        let image = MadeUp::new(&table, 3 * BLOCK + 5, 7);
        let mut whole = Vec::new();
        image.clone().read_to_end(&mut whole).unwrap();
        assert_eq!(whole.len() as u64, 3 * BLOCK + 5);
        for step in [1, 3, 8, 1001] {
            let (mut image, mut bytes): (_, Vec<u8>) = (image, Vec::new());
            let mut some = vec![0; step];
            loop {
                let read = image.read(&mut some).unwrap();
                bytes.extend(&some[..read]);
                if read == 0 {
                    break;
                }
            }
            assert!(bytes == whole, "in steps of {step}");
        }
        for block in 0..3 {
            let (position, signature) = image.planted(block);
            assert!(table.signatures()[signature].is_at(&whole[position as usize..]));
        }
    }
}
