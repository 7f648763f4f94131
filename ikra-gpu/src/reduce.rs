//! Reductions: one kernel that also combines its results.

use std::slice;
use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_core::reduce::{ACCUMULATORS, Chunks};
use ikra_core::transfer::WireType;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Launch, Reduction, Section, Store};

use crate::arguments::Arguments;
use crate::block_size::{THREADS_OF_MULTIPROCESSOR, threads};
use crate::code::{Kind, Shape};
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::{Grid, Memory};
use crate::special::Called;
use crate::step::{Positions, Step, Stored};
use crate::tables::{Loaded, Members};

/// Bytes of shared memory that a block has on every device.
const SHARED_BYTES: usize = 48 * 1024;
/// Bytes of such a kernel's parameters before its arguments.
const OWN: &[usize] = &[4, 4, 8, 8, 8, 8];
/// Which of the parameters is the address of the result.
const RESULT: usize = 4;

/// The entry point of a reduction.
pub(crate) struct Combined<'a> {
    pub(crate) kind: Kind,
    /// The meaning of what it does besides the kernel.
    pub(crate) meaning: u64,
    pub(crate) is_heavy: bool,
    pub(crate) arguments: &'a [Argument<'a>],
}

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
            let to = reduction.results.as_ptr().wrapping_add(n * reduction.wire.size);
            let positions = Positions::of(&section.over);
            let list = self.upload_list(positions.list.as_ref())?;
            let among = (positions.first as u32, positions.end as u32, list);
            let combined = Combined {
                kind: Kind::Reduce(section.reducer),
                meaning: 0,
                is_heavy: section.effects.is_heavy(),
                arguments: launch.arguments,
            };
            self.reduce(members, (launch.kernel, section), &combined, among, (reduction, to))?;
        }
        Ok(())
    }

    /// Runs a kernel for at least one object, and writes the combined result to an address: for the objects `first..end`,
    /// or for those at these positions of a list on the device.
    pub(crate) fn reduce(
        &mut self,
        members: &mut Members<'_>,
        (kernel, section): (&'static str, &Section),
        combined: &Combined<'_>,
        among: (u32, u32, u64),
        (reduction, to): (Reduction, *mut u8),
    ) -> Result<(), Error> {
        let Reduction { wire, accumulators, .. } = reduction;
        self.prepare(members, slice::from_ref(section))?;
        let launch = self.combination(section, combined, among, (wire, accumulators))?;
        // The kernel writes the result directly to host memory if there is room, which saves a copy.
        let log = self.log.clone();
        let inbox = log.inbox();
        let in_inbox = wire.size <= inbox.len();
        let result = if in_inbox { inbox.start().addr() as u64 } else { self.scratch(Scratch::Result, wire.size)? };
        let parts = self.scratch(Scratch::Parts, launch.parts_bytes)?;
        self.combine(members, (kernel, section), &launch, (parts, result))?;
        log.count_down(wire.size);
        if in_inbox {
            log.synchronize()?;
            // SAFETY: the kernel has finished and wrote these bytes to the inbox; `to` has room for them.
            unsafe { std::ptr::copy_nonoverlapping(inbox.start().cast_const(), to, wire.size) };
            return Ok(());
        }
        // SAFETY: one result exists, and `to` has room for it until the stream is synchronised below.
        unsafe { log.stream.download(to, result, wire.size) }.map_err(|error| log.blame(error))?;
        log.synchronize()
    }

    /// Runs the kernel of a class, and stores the combined result in a field, which no one waits for; or records that.
    /// `false` if the device cannot; then nothing has run.
    pub(crate) fn store(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        store: Store,
    ) -> Result<bool, Error> {
        let [section] = launch.sections else { return Ok(false) };
        // The end of a kernel with a snapshot of the field would replace the result.
        let replaces = section.effects.class() == store.to.class && section.effects.shadowed().contains(store.to.field);
        if section.over.is_empty() || replaces {
            return Ok(false);
        }
        self.prepare(members, slice::from_ref(section))?;
        let Some(result) = self.field_address(members, store.to, store.wire.size) else { return Ok(false) };
        let positions = Positions::of(&section.over);
        let among = (positions.first as u32, positions.end as u32, self.upload_list(positions.list.as_ref())?);
        let combined = Combined {
            kind: Kind::Reduce(section.reducer),
            meaning: 0,
            is_heavy: section.effects.is_heavy(),
            arguments: launch.arguments,
        };
        let plan = self.combination(section, &combined, among, (store.wire, store.accumulators))?;
        if self.log.is_recording() {
            let parts = Memory::new(&self.log.context, plan.parts_bytes, "a recording")?;
            let done = self.blocks_done()?;
            let step = plan.with_arguments((parts.address(), result, done), |arguments| {
                Step::of(slice::from_ref(section), Arc::clone(&plan.entry), plan.grid, arguments)
            });
            self.log.note(step.storing(Stored { to: store.to, size: store.wire.size, argument: RESULT, parts }));
            return Ok(true);
        }
        let parts = self.scratch(Scratch::Parts, plan.parts_bytes)?;
        self.combine(members, (launch.kernel, section), &plan, (parts, result))?;
        self.note_stored(members, store.to);
        Ok(true)
    }

    /// The launch of a reduction for at least one object of a [prepared](Self::prepare) world.
    fn combination<'a>(
        &mut self,
        section: &Section,
        &Combined { kind, meaning, is_heavy, arguments }: &Combined<'a>,
        among: (u32, u32, u64),
        (wire, accumulators): (WireType, usize),
    ) -> Result<Combination<'a>, Error> {
        let count = (among.1 - among.0) as usize;
        let size = wire.size.max(1);
        // Whole warps, one thread per accumulator.
        let usual = threads(slice::from_ref(section)) as usize;
        let threads = (SHARED_BYTES / size / ACCUMULATORS * ACCUMULATORS).clamp(ACCUMULATORS, usual);
        let chunks = Chunks::new(count, is_heavy, accumulators).len();
        // One block or warp per chunk, but no more blocks than run at the same time, since each one adds to the
        // counter.
        let most = self.device().multiprocessors as usize * THREADS_OF_MULTIPROCESSOR / threads;
        let blocks = if is_heavy { chunks.min(most) } else { (chunks * ACCUMULATORS).div_ceil(threads) };
        let grid = Grid {
            blocks: blocks as u32,
            threads: threads as u32,
            rows: 1,
            shared_bytes: (threads.max(accumulators) * size) as u32,
        };
        let result = WireType { meaning: wire.meaning ^ meaning, ..wire };
        let entry = self.entry(section.entry, kind, Shape { own: OWN, result }, arguments)?;
        Ok(Combination { entry, kind, grid, among, arguments, parts_bytes: chunks * size })
    }

    /// Starts a reduction. `parts` is the address of room for the results of its chunks, `result` of room for the result.
    fn combine(
        &mut self,
        members: &mut Members<'_>,
        (kernel, section): (&'static str, &Section),
        launch: &Combination<'_>,
        (parts, result): (u64, u64),
    ) -> Result<(), Error> {
        let done = self.blocks_done()?;
        let (sections, entry, arguments) = (slice::from_ref(section), section.entry, launch.arguments);
        let called = Called { kernel, sections, entry, kind: launch.kind, arguments };
        let entry = self.special(members, called, Arc::clone(&launch.entry))?;
        let words = self.words(members, &entry)?;
        launch.with_arguments((parts, result, done), |all| {
            all.with_places(&words, |all| {
                // SAFETY: as `entry` has compared, the entry point takes two `u32`, four pointers, the kernel's arguments
                // and these table entries. The buffers have room for the results. The counter of finished blocks is 0: it
                // starts at 0, and each kernel of this stream resets it. The grid has the required number of threads. The
                // rest holds as in `start`.
                unsafe { self.log.launch(kernel, &entry.function, launch.grid, all) }
            })
        })?;
        self.spare = words;
        self.commit(members, slice::from_ref(section))
    }
}

/// A launch of a reduction, but for the memory that it writes.
struct Combination<'a> {
    entry: Arc<Loaded>,
    kind: Kind,
    grid: Grid,
    /// The first object or position, the end, and the address of the list.
    among: (u32, u32, u64),
    arguments: &'a [Argument<'a>],
    /// Bytes for the results of chunks.
    parts_bytes: usize,
}

impl Combination<'_> {
    /// Calls `work` with all arguments; the addresses are those of the results of chunks, the result, and the counter of
    /// finished blocks.
    fn with_arguments<T>(&self, (parts, result, done): (u64, u64, u64), work: impl FnOnce(&Arguments<'_>) -> T) -> T {
        let (first, end, list) = &self.among;
        let own = [
            Argument::of(first),
            Argument::of(end),
            Argument::of(list),
            Argument::of(&parts),
            Argument::of(&result),
            Argument::of(&done),
        ];
        work(&Arguments { own: &own, arguments: self.arguments })
    }
}
