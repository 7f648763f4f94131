//! Chunks of the bit sets that represent lists of objects, and of makers; host and device share these definitions.

/// Words of a chunk, and threads of a block that processes a chunk.
pub(crate) const CHUNK_WORDS: u32 = 256;
/// Objects of a chunk, one bit per object.
pub(crate) const CHUNK: u32 = CHUNK_WORDS * 32;
/// Threads of the block that computes where each chunk's objects go.
pub(crate) const PLACE_THREADS: u32 = 1024;
/// Replaces the number of tag bits: links have eight bytes.
pub(crate) const WIDE: u32 = 64;
/// Makers whose counts one thread adds.
pub(crate) const MAKERS_PER_THREAD: u32 = 16;
/// Threads of a block that adds counts, or works on bits.
pub(crate) const LIVES_THREADS: u32 = 256;
/// Makers whose counts one block adds.
pub(crate) const MAKERS: u32 = LIVES_THREADS * MAKERS_PER_THREAD;
/// Objects of a block that moves them.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const MOVES: u32 = 4 * LIVES_THREADS;
