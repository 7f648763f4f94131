//! The number of threads per block.

use ikra_runtime::executor::Section;

use crate::driver::Footprint;

/// Threads per block.
const THREADS: u32 = 256;
/// Threads per block of kernels that do much work per call, which tend to need more registers.
const HEAVY_THREADS: u32 = 128;
/// From this multiple of the number of concurrent threads on, objects count as many.
const MANY: usize = 4;
/// From this many bytes on, an array in local memory counts as large.
const STACK_BYTES: usize = 256;
/// The largest number of threads that run on a multiprocessor at the same time.
pub(crate) const THREADS_OF_MULTIPROCESSOR: usize = 2048;

/// The threads of a block that runs these kernels.
pub(crate) fn threads(sections: &[Section]) -> u32 {
    if sections.iter().any(|section| section.effects.is_heavy()) { HEAVY_THREADS } else { THREADS }
}

/// The block size for one kernel that runs for `count` objects, where `usual` threads are usual for such kernels.
///
/// Large blocks are better in two cases:
///
/// - A heavy kernel runs for few objects, all at the same time, and no multiprocessor gets more objects than with small
///   blocks. 65,536 objects that follow links take an H200 67.5 instead of 70.6 µs.
/// - Many objects, whose threads keep a stack or a similar array in local memory. The warps of a large block end at
///   different times, so that fewer arrays compete for the cache.
pub(crate) fn threads_for(usual: u32, objects: usize, multiprocessors: usize, footprint: Footprint) -> u32 {
    let of_each = |threads: u32| objects.div_ceil(threads as usize).div_ceil(multiprocessors.max(1));
    let objects_of_each = |threads: u32| of_each(threads) * threads as usize;
    let is_large = if objects >= MANY * multiprocessors * THREADS_OF_MULTIPROCESSOR {
        footprint.local_bytes >= STACK_BYTES && footprint.large_blocks > 0
    } else {
        usual == HEAVY_THREADS
            && objects_of_each(Footprint::LARGE) <= objects_of_each(usual)
            && of_each(Footprint::LARGE) <= footprint.large_blocks
    };
    if is_large { Footprint::LARGE } else { usual }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MULTIPROCESSORS: usize = 132;

    fn heavy(objects: usize, local_bytes: usize, large_blocks: usize) -> u32 {
        threads_for(HEAVY_THREADS, objects, MULTIPROCESSORS, Footprint { local_bytes, large_blocks })
    }

    #[test]
    fn blocks_are_large_where_no_multiprocessor_gets_more() {
        for (objects, threads) in [
            (1, 128),
            (8_000, 128),
            // Four blocks of 128 for most, or one of 512.
            (65_536, 512),
            // Six or two.
            (100_000, 128),
            // Twelve or three.
            (200_000, 512),
            // More than there is room for.
            (300_000, 128),
            (2_000_000, 128),
        ] {
            assert_eq!(heavy(objects, 0, 4), threads, "{objects}");
        }
        assert_eq!(heavy(200_000, 0, 2), 128, "the third block would wait");
        assert_eq!(heavy(65_536, 0, 0), 128, "too many registers");
    }

    #[test]
    fn blocks_are_large_where_many_threads_have_stacks() {
        assert_eq!((heavy(2_000_000, 512, 4), heavy(2_000_000, 512, 0), heavy(2_000_000, 64, 4)), (512, 128, 128));
    }

    #[test]
    fn light_kernels_have_the_usual_blocks() {
        let footprint = Footprint { local_bytes: 0, large_blocks: 4 };
        assert_eq!(threads_for(THREADS, 65_536, MULTIPROCESSORS, footprint), THREADS);
    }
}
