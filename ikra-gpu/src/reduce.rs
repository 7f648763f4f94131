//! Reductions: one kernel that also combines its results.

use std::slice;

use ikra_core::kernel::Argument;
use ikra_core::reduce::{ACCUMULATORS, part_len};
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Launch, Reduction, Section};

use crate::arguments::Arguments;
use crate::block_size::{THREADS_OF_MULTIPROCESSOR, threads};
use crate::code::{Kind, Shape};
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::Grid;
use crate::step::Positions;
use crate::tables::Members;

/// Bytes of shared memory that a block has on every device.
const SHARED_BYTES: usize = 48 * 1024;
/// Bytes of such a kernel's parameters before its arguments.
const OWN: &[usize] = &[4, 4, 8, 8, 8, 8];

impl DeviceWorld {
    /// Runs the kernel of each class that has objects, one class after another, and writes the results to the
    /// reduction's buffers.
    pub(crate) fn reduce_all(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        sections: &[Section],
        reduction: Reduction,
    ) -> Result<(), Error> {
        for (n, section) in sections.iter().enumerate().filter(|(_, section)| !section.over.is_empty()) {
            let to = reduction.results.as_ptr().wrapping_add(n * reduction.size);
            self.reduce(members, launch, section, reduction, to)?;
        }
        Ok(())
    }

    /// Runs a kernel for at least one object, and writes the combined result to the address `to`.
    fn reduce(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        section: &Section,
        reduction: Reduction,
        to: *mut u8,
    ) -> Result<(), Error> {
        let (positions, is_heavy) = (Positions::of(&section.over), section.effects.is_heavy());
        let sections = slice::from_ref(section);
        self.prepare(members, sections)?;
        let count = positions.len();
        let size = reduction.size.max(1);
        // Whole warps, one thread per accumulator.
        let threads =
            (SHARED_BYTES / size / ACCUMULATORS * ACCUMULATORS).clamp(ACCUMULATORS, threads(sections) as usize);
        let chunks = count.div_ceil(part_len(count, is_heavy));
        // One block or warp per chunk, but no more blocks than run at the same time, since each one adds to the
        // counter.
        let most = self.device().multiprocessors as usize * THREADS_OF_MULTIPROCESSOR / threads;
        let blocks = if is_heavy { chunks.min(most) } else { (chunks * ACCUMULATORS).div_ceil(threads) };
        let grid = Grid {
            blocks: blocks as u32,
            threads: threads as u32,
            shared_bytes: (threads.max(reduction.accumulators) * size) as u32,
        };
        // The kernel writes the result directly to host memory if there is room, which saves a copy.
        let log = self.log.clone();
        let inbox = log.inbox();
        let in_inbox = size <= inbox.len();
        let result = if in_inbox { inbox.start().addr() as u64 } else { self.scratch(Scratch::Result, size)? };
        let parts = self.scratch(Scratch::Parts, chunks * size)?;
        let list = self.upload_list(positions.list.as_ref())?;
        let done = self.blocks_done()?;
        let (first, end) = (positions.first as u32, positions.end as u32);
        let shape = Shape { own: OWN, result: (reduction.size, reduction.align), class: 0 };
        let entry = self.entry(section.entry, Kind::Reduce(section.reducer), shape, launch.arguments)?;
        let own = [
            Argument::of(&first),
            Argument::of(&end),
            Argument::of(&list),
            Argument::of(&parts),
            Argument::of(&result),
            Argument::of(&done),
        ];
        let all = Arguments { own: &own, arguments: launch.arguments };
        let words = self.words(members, &entry)?;
        // SAFETY: as `entry` has compared, the entry point takes two `u32`, four pointers, the kernel's arguments and
        // these table entries. The buffers have room for the results. The counter of finished blocks is 0: it starts at
        // 0, and each kernel of this stream resets it. The grid has the required number of threads. The rest holds as
        // in `start`.
        all.with_places(&words, |all| unsafe { self.log.launch(launch.kernel, &entry.function, grid, all) })?;
        self.commit(members, sections)?;
        log.count_down(reduction.size);
        if in_inbox {
            log.synchronize()?;
            // SAFETY: the kernel has finished and wrote these bytes to the inbox; `to` has room for them.
            unsafe { std::ptr::copy_nonoverlapping(inbox.start().cast_const(), to, reduction.size) };
            return Ok(());
        }
        // SAFETY: one result exists, and `to` has room for it until the stream is synchronised below.
        unsafe { log.stream.download(to, result, reduction.size) }.map_err(|error| log.blame(error))?;
        log.synchronize()
    }
}
