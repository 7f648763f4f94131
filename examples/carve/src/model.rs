//! The model: the image of a disk as objects, and the signatures for which they are searched. Compiled for the host and
//! for the GPU.

use ikra::prelude::*;

#[path = "model/block.rs"]
pub mod block;
use block::Block;

/// A signature's first bytes: those of a header, and which of them matter.
#[soa_class]
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// The bytes; zero where they do not matter.
    pub value: Block,
    /// Ones for the bytes that matter.
    pub mask: Block,
}

/// Some bytes of the image.
#[soa_class]
#[derive(Clone, Copy, Debug)]
pub struct Chunk {
    /// The bytes.
    pub block: Block,
    /// The bytes at which a header begins, a bit for each.
    pub hits: u16,
}

#[soa_methods]
impl Chunk {
    /// Searches for all signatures at each byte. Most chunks have no header, and store nothing.
    #[kernel]
    pub fn scan(&mut self) {
        let next = self.all::<Chunk>().get(self.link().index() + 1).map_or(Block::ZERO, |next| next.block());
        let windows = self.block.windows(next);
        let mut hits = 0;
        for signature in self.all::<Signature>() {
            // Nearly always the first four bytes differ.
            if block::may_match(&windows, signature.value(), signature.mask()) {
                hits |= block::matches(&windows, signature.value(), signature.mask());
            }
        }
        let hits = hits as u16;
        if self.hits != hits {
            self.hits = hits;
        }
    }

    /// Whether a header begins here.
    #[kernel]
    pub fn is_hit(&self) -> bool {
        self.hits != 0
    }

    /// Its number, and its bytes at which a header begins.
    #[kernel]
    pub fn hit(&self) -> [u32; 2] {
        [self.link().index() as u32, u32::from(self.hits)]
    }
}

/// The world.
#[soa_world]
pub struct Image {
    /// What to search for.
    pub signatures: Objects<Signature>,
    /// The bytes, in order.
    pub chunks: Objects<Chunk>,
}
