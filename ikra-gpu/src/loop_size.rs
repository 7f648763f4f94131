//! The blocks and threads of a kernel that stays on the device for a loop.

use crate::driver::Grid;
use crate::step::Step;

/// A launch that it replaces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub(crate) blocks: u32,
    pub(crate) threads: u32,
    /// Whether the threads of a block work together, so that a block of the new kernel executes one of them at a time.
    pub(crate) is_joint: bool,
}

/// Nanoseconds of a short kernel: a chain of loads.
const ROUND: u64 = 600;
/// Nanoseconds until a few blocks have waited for each other, and how many more for each block. On an H200, two small
/// kernels and a test take 1.4 µs with 16 blocks, and 2.9 µs with 512.
const MEETING: u64 = 600;
const MEETING_OF_EACH: u64 = 2;
/// The largest blocks.
const MOST: u32 = 1024;
/// Threads of a block that works for objects of a worklist, if they need not work together. These are few objects, and
/// small blocks divide them among more multiprocessors.
const OF_WORK: u32 = 64;

/// The blocks and threads of a launch in a loop. Kernels that are not joint do the same in blocks of any size (I39).
pub(crate) fn grid_of(step: &Step, is_joint: bool) -> Grid {
    let grid = step.grid.in_one_row();
    if !step.is_over_work() || is_joint || grid.threads <= OF_WORK {
        return grid;
    }
    Grid { blocks: grid.blocks.saturating_mul(grid.threads.div_ceil(OF_WORK)), threads: OF_WORK, ..grid }
}

impl Part {
    /// How many blocks of so many threads could work at the same time.
    fn needed(self, threads: u32) -> u32 {
        self.blocks.div_ceil(if self.is_joint { 1 } else { threads / self.threads })
    }
}

/// The numbers of blocks and of threads per block with which an iteration is likely to be fastest. `room` says how many
/// blocks of so many threads can run at the same time. `None` if there is no room for any.
///
/// Few blocks wait for each other faster, and a single one does so without memory; but they may have to execute several
/// blocks of a launch one after another.
pub(crate) fn size(parts: &[Part], wanted: Option<(u32, u32)>, room: impl Fn(u32) -> u32) -> Option<(u32, u32)> {
    let least = parts.iter().map(|part| part.threads).max()?;
    if let Some((blocks, threads)) = wanted {
        let threads = threads.min(MOST).next_multiple_of(32).clamp(least, MOST.max(least));
        let blocks = blocks.min(room(threads));
        return (blocks > 0).then_some((blocks, threads));
    }
    let mut best: Option<(u64, u32, u32)> = None;
    for threads in [least, 256, 512, MOST].into_iter().filter(|&threads| threads >= least) {
        let most = parts.iter().map(|part| part.needed(threads)).max().unwrap_or(1).min(room(threads));
        for blocks in [1, most].into_iter().filter(|blocks| (1..=most).contains(blocks)) {
            let rounds: u64 = parts.iter().map(|part| u64::from(part.needed(threads).div_ceil(blocks))).sum();
            let meeting = if blocks > 1 { MEETING + MEETING_OF_EACH * u64::from(blocks) } else { 0 };
            let cost = rounds * ROUND + parts.len() as u64 * meeting;
            if best.is_none_or(|best| (cost, blocks, threads) < best) {
                best = Some((cost, blocks, threads));
            }
        }
    }
    best.map(|(_, blocks, threads)| (blocks, threads))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a device with 132 multiprocessors, for a kernel with so many registers.
    fn chosen(parts: &[(u32, u32, bool)], registers: u32) -> Option<(u32, u32)> {
        let parts: Vec<Part> =
            parts.iter().map(|&(blocks, threads, is_joint)| Part { blocks, threads, is_joint }).collect();
        size(&parts, None, |threads| 132 * (65_536 / (registers * threads)).min(2048 / threads))
    }

    /// A kernel for so many objects.
    fn of(objects: u32) -> (u32, u32, bool) {
        (objects.div_ceil(256), if objects < 256 { objects.next_multiple_of(32) } else { 256 }, false)
    }

    #[test]
    fn a_single_block_where_little_is_to_do() {
        assert_eq!(chosen(&[of(1)], 32), Some((1, 32)));
        assert_eq!(chosen(&[of(1000), of(1), (1, 256, true)], 32), Some((1, 1024)));
        assert_eq!(chosen(&[of(2000), of(1)], 32), Some((1, 1024)), "two rounds are as fast as waiting");
    }

    #[test]
    fn few_large_blocks_where_they_have_room() {
        assert_eq!(chosen(&[of(4096), of(1)], 32), Some((4, 1024)));
        assert_eq!(chosen(&[of(1 << 17)], 32), Some((128, 1024)));
        assert_eq!(chosen(&[of(1 << 20)], 32), Some((264, 1024)));
        assert_eq!(chosen(&[of(1 << 20)], 40), Some((396, 512)), "three blocks of 512, one of 1024");
        assert_eq!(chosen(&[of(1 << 20)], 128).map(|size| size.1), Some(512), "no room for larger ones");
    }

    #[test]
    fn no_room() {
        assert_eq!(chosen(&[(1, 512, false)], 255), None);
        assert_eq!(size(&[], None, |_| 1), None);
    }

    #[test]
    fn what_is_wanted_is_made_possible() {
        let parts = [Part { blocks: 9, threads: 128, is_joint: true }];
        for (wanted, made) in
            [((3, 256), Some((3, 256))), ((3, 7), Some((3, 128))), ((99, 100), Some((20, 128))), ((0, 128), None)]
        {
            assert_eq!(size(&parts, Some(wanted), |_| 20), made, "{wanted:?}");
        }
    }
}
