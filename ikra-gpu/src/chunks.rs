//! How bits that say which objects are in a list come in chunks: the same on host and device.

/// Words of a chunk, and threads of the block that works on it.
pub(crate) const CHUNK_WORDS: u32 = 256;
/// Objects of a chunk, a bit for each.
pub(crate) const CHUNK: u32 = CHUNK_WORDS * 32;
/// Threads of the block that finds out where the chunks' objects go.
pub(crate) const PLACE_THREADS: u32 = 1024;
/// In place of a number of bits for the class: links of eight bytes.
pub(crate) const WIDE: u32 = 64;
