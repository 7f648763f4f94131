//! Chunks of the bit sets that represent lists of objects, of makers, of numbers and of pairs; host and device share these
//! definitions.

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
/// Links that one thread replaces.
pub(crate) const LINKS_PER_THREAD: usize = 4;
/// Threads of a block that sums the numbers of a tile.
pub(crate) const SCAN_THREADS: u32 = 256;
/// Rows of a tile, each with four numbers per thread.
pub(crate) const SCAN_ROWS: u32 = 8;
/// Numbers of a tile.
pub(crate) const SCAN_TILE: u32 = SCAN_THREADS * SCAN_ROWS * 4;
/// Values of a digit of keys.
pub(crate) const DIGITS: u32 = 256;
/// Threads of a block that sorts a tile of pairs.
pub(crate) const SORT_THREADS: u32 = 256;

/// Pairs of a tile per thread, with keys of this type.
pub(crate) const fn sort_items<K>() -> usize {
    if size_of::<K>() == 4 { 20 } else { 10 }
}

/// Bytes of shared memory of a block that sorts a tile: for the counts of each warp, the place of each digit, and sums; then
/// for the keys or the values of the pairs.
pub(crate) const fn sort_shared_bytes<K>() -> usize {
    let words = (SORT_THREADS / 32 + 2) * DIGITS;
    words as usize * 4 + SORT_THREADS as usize * sort_items::<K>() * size_of::<K>()
}

/// Objects of a block that moves them.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const MOVES: u32 = 4 * LIVES_THREADS;
