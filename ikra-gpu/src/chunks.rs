//! Chunks of the bit sets that represent lists of objects; host and device share these definitions.

/// Words of a chunk, and threads of a block that processes a chunk.
pub(crate) const CHUNK_WORDS: u32 = 256;
/// Objects of a chunk, one bit per object.
pub(crate) const CHUNK: u32 = CHUNK_WORDS * 32;
/// Threads of the block that computes where each chunk's objects go.
pub(crate) const PLACE_THREADS: u32 = 1024;
/// Replaces the number of tag bits: links have eight bytes.
pub(crate) const WIDE: u32 = 64;
