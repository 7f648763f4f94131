//! Blocks that run kernels for pairs; host and device share these definitions.
//!
//! A block has a thread for each of 128 objects. If there are few objects, it has several threads for each, one in each row of the
//! block. These divide the other objects among themselves.

use ikra_core::sums::Sums;

#[cfg(not(target_arch = "nvptx64"))]
use crate::driver::Grid;

/// Threads of a block, and thus the number of other objects in a tile.
pub(crate) const PAIR_THREADS: usize = 128;

/// The most numbers of an object that several threads can add to.
pub(crate) const MOST_SUMS: u32 = 16;

/// The bytes of a buffer for what the calls of a block add.
const BUFFER: u32 = 16 << 10;

/// The bytes that the block's threads add, each to one object and for one other object.
const fn turn_bytes(sums: Sums) -> u32 {
    PAIR_THREADS as u32 * sums.count * sums.bytes
}

/// The other objects of a thread between two barriers.
pub(crate) const fn turns(sums: Sums) -> u32 {
    match BUFFER / turn_bytes(sums) {
        8.. => 8,
        4.. => 4,
        2.. => 2,
        _ => 1,
    }
}

/// The size of a buffer in bytes.
pub(crate) const fn buffer_bytes(sums: Sums) -> u32 {
    turns(sums) * turn_bytes(sums)
}

/// The most rows of a block.
#[cfg(not(target_arch = "nvptx64"))]
const MOST_ROWS: usize = 32;

/// The most threads of a multiprocessor that are worth several threads for each object.
#[cfg(not(target_arch = "nvptx64"))]
const BUSY: usize = 5 * PAIR_THREADS;

/// The blocks of a kernel for pairs that reads so many bytes of each other object.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) fn grid(objects: usize, other_bytes: usize, sums: Option<Sums>, multiprocessors: usize) -> Grid {
    let (mut rows, mut shared_bytes) = (1, PAIR_THREADS * other_bytes);
    if let Some(sums) = sums.filter(|sums| sums.count <= MOST_SUMS) {
        let some = (BUSY * multiprocessors / objects.max(1)).clamp(1, MOST_ROWS);
        let most = 1 << some.ilog2();
        // A thread of an object's column adds up one of its numbers.
        if most > 1 && most >= sums.count as usize {
            rows = most;
            shared_bytes += 2 * buffer_bytes(sums) as usize;
        }
    }
    let blocks = u32::try_from(objects.div_ceil(PAIR_THREADS / rows)).unwrap_or(u32::MAX);
    Grid { blocks, threads: PAIR_THREADS as u32, rows: rows as u32, shared_bytes: shared_bytes as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: Sums = Sums { count: 3, bytes: 4 };

    #[test]
    fn few_objects_get_several_threads_each() {
        let rows = |objects, sums| grid(objects, 16, sums, 132).rows;
        assert_eq!([1, 2_000, 4_096, 10_000, 20_000].map(|n| rows(n, Some(THREE))), [32, 32, 16, 8, 4]);
        assert_eq!([30_000, 1_000_000, usize::MAX].map(|n| rows(n, Some(THREE))), [1, 1, 1]);
        // One thread for each number.
        assert_eq!(rows(20_000, Some(Sums { count: 5, bytes: 4 })), 1);
        assert_eq!(rows(20_000, Some(Sums { count: 1, bytes: 4 })), 4);
        assert_eq!((rows(1, None), rows(1, Some(Sums { count: MOST_SUMS + 1, bytes: 4 }))), (1, 1));
    }

    #[test]
    fn every_object_has_a_column() {
        for objects in [1, 3, 4, 5, 127, 128, 129, 4_095, 4_096, 4_097, 100_000] {
            for sums in [None, Some(THREE)] {
                let Grid { blocks, threads, rows, .. } = grid(objects, 0, sums, 132);
                let columns = (threads / rows) as usize;
                assert_eq!(threads % rows, 0);
                assert_eq!(blocks as usize, objects.div_ceil(columns), "{objects} objects");
            }
        }
    }

    #[test]
    fn a_block_fits_a_multiprocessor() {
        for count in 1..=MOST_SUMS {
            for bytes in [4, 8] {
                let sums = Sums { count, bytes };
                assert!(buffer_bytes(sums) <= BUFFER && buffer_bytes(sums).is_multiple_of(bytes));
                // The largest tile row has 128 bytes, and a block has 48 KiB without asking for more.
                assert!(grid(1, 128, Some(sums), 132).shared_bytes <= 48 << 10);
            }
        }
    }
}
