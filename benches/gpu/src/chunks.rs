//! The image of a disk that is searched for signatures, as `examples/carve` has it.

use ikra::prelude::*;

use super::inner_array::hash;

#[path = "../../../examples/carve/src/model/block.rs"]
pub mod block;
use block::{BYTES, Block};

/// A header begins in each of so many chunks.
pub const SPACING: u32 = 256;

/// The part of a header that is in a chunk, if the header begins `from` bytes behind the start of the first.
fn part(header: Block, from: u32, is_second: bool) -> [u32; 4] {
    let [a, b, c, d] = header.words.map(u128::from);
    let header = a | b << 32 | c << 64 | d << 96;
    let part = if is_second { (header >> 1) >> (127 - 8 * from) } else { header << (8 * from) };
    Block::of(part).words
}

/// The first bytes of a file.
#[soa_class]
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    pub value: Block,
    pub mask: Block,
}

#[soa_class]
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    pub block: Block,
    pub hits: u16,
}

#[soa_methods]
impl Chunk {
    /// Noise.
    #[kernel]
    pub fn spawn(id: u32) -> Self {
        Self { block: Block { words: [0, 1, 2, 3].map(|k| hash(4 * id + k)) }, hits: 0 }
    }
    /// Writes headers of one of `count` signatures each over the noise, at any byte.
    #[kernel]
    pub fn plant(&mut self, count: u32) {
        let index = self.link().index() as u32;
        let (header, chunk) = (index / SPACING, index % SPACING);
        if chunk > 1 {
            return;
        }
        if let Some(signature) = self.all::<Signature>().get((header % count) as usize) {
            let from = hash(header) % BYTES as u32;
            let value = part(signature.value(), from, chunk == 1);
            let mask = part(signature.mask(), from, chunk == 1);
            let noise = self.block.words;
            self.block = Block { words: [0, 1, 2, 3].map(|k| noise[k] & !mask[k] | value[k]) };
        }
    }
    #[kernel]
    pub fn scan(&mut self) {
        let next = self.all::<Chunk>().get(self.link().index() + 1).map_or(Block::ZERO, |next| next.block());
        let windows = self.block.windows(next);
        let mut hits = 0;
        for signature in self.all::<Signature>() {
            if block::may_match(&windows, signature.value(), signature.mask()) {
                hits |= block::matches(&windows, signature.value(), signature.mask());
            }
        }
        let hits = hits as u16;
        if self.hits != hits {
            self.hits = hits;
        }
    }
    #[kernel(reduce(Sum))]
    pub fn count(&self) -> u32 {
        self.hits.count_ones()
    }
}

#[soa_world]
pub struct Image {
    pub signatures: Objects<Signature>,
    pub chunks: Objects<Chunk>,
}
