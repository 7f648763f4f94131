//! Reductions: one kernel that also combines its results.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;
use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_core::reduce::{ACCUMULATORS, Chunks};
use ikra_core::transfer::WireType;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Extent, Launch, Reduction, Section, SharedExtent, Store};

use crate::arguments::Arguments;
use crate::block_size::{THREADS_OF_MULTIPROCESSOR, threads};
use crate::code::{Kind, Shape};
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::{Footprint, Grid, Memory};
use crate::special::Called;
use crate::step::{Positions, Step, Stored};
use crate::tables::{Loaded, Members};

/// Bytes of shared memory that a block has on every device.
const SHARED_BYTES: usize = 48 * 1024;
/// Bytes of such a kernel's parameters before its arguments.
const OWN: &[usize] = &[4, 4, 8, 8, 8, 8, 4, 4];
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
            let combined = Combined::of(section, launch);
            match &section.over {
                Extent::Shared(shared) => {
                    self.reduce_shared(members, (launch.kernel, section), &combined, shared, (reduction, to))?;
                }
                _ => self.reduce(members, (launch.kernel, section), &combined, among, (reduction, to))?,
            }
        }
        Ok(())
    }

    /// As [`reduce`](Self::reduce), for objects of which other processes do some: each computes the results of whole chunks,
    /// and combines those of all.
    fn reduce_shared(
        &mut self,
        members: &mut Members<'_>,
        (kernel, section): (&'static str, &Section),
        combined: &Combined<'_>,
        shared: &SharedExtent,
        (reduction, to): (Reduction, *mut u8),
    ) -> Result<(), Error> {
        let Reduction { wire, accumulators, .. } = reduction;
        self.prepare(members, slice::from_ref(section))?;
        let launch = self.combination(section, combined, (0, shared.count() as u32, 0), (wire, accumulators))?;
        let log = self.log.clone();
        let (chunks, own, size) = (launch.chunks.len(), launch.part(shared.own()), wire.size);
        let parts = self.scratch(Scratch::Parts, launch.parts_bytes)?;
        let result = self.scratch(Scratch::Result, size)?;
        let mut all = vec![MaybeUninit::<u8>::uninit(); chunks * size];
        if !own.is_empty() {
            // A launch for all chunks would combine them, and might not store their results.
            let middle = if own.len() == chunks { own.start + 1 } else { own.end };
            for of in [own.start..middle, middle..own.end].into_iter().filter(|of| !of.is_empty()) {
                self.combine(members, (kernel, section), &launch, of, (parts, result))?;
            }
            let bytes = &mut all[own.start * size..own.end * size];
            // The only chunk's result is the total.
            let from = if chunks == 1 { result } else { parts + (own.start * size) as u64 };
            // SAFETY: so many results exist, and there is room for them until the stream is synchronised below.
            unsafe { log.stream.download(bytes.as_mut_ptr().cast(), from, bytes.len()) }
                .map_err(|error| log.blame(error))?;
            log.synchronize()?;
            log.count_down(bytes.len());
        }
        self.commit(members, slice::from_ref(section))?;
        shared.sharing().complete(&mut all, size, own)?;
        if chunks > 1 {
            // SAFETY: there is room for the results of all chunks, which are bytes of their types.
            unsafe { log.stream.upload(parts, all.as_ptr().cast(), all.len()) }.map_err(|error| log.blame(error))?;
            self.combine(members, (kernel, section), &launch, 0..0, (parts, result))?;
            // SAFETY: one result exists, and there is room for it until the stream is synchronised below.
            unsafe { log.stream.download(all.as_mut_ptr().cast(), result, size) }.map_err(|error| log.blame(error))?;
            log.synchronize()?;
        }
        // SAFETY: there is a result, and `to` has room for it.
        unsafe { std::ptr::copy_nonoverlapping(all.as_ptr().cast(), to, size) };
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
        self.combine(members, (kernel, section), &launch, 0..launch.chunks.len(), (parts, result))?;
        self.commit(members, slice::from_ref(section))?;
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
        let combined = Combined::of(section, launch);
        let plan = self.combination(section, &combined, among, (store.wire, store.accumulators))?;
        if self.log.is_recording() {
            let parts = Memory::new(&self.log.context, plan.parts_bytes, "a recording")?;
            let done = self.blocks_done()?;
            let all = 0..plan.chunks.len() as u32;
            let step = plan.with_arguments(all, (parts.address(), result, done), |arguments| {
                Step::of(slice::from_ref(section), Arc::clone(&plan.entry), plan.grid(plan.chunks.len()), arguments)
            });
            self.log.note(step.storing(Stored { to: store.to, size: store.wire.size, argument: RESULT, parts }));
            return Ok(true);
        }
        let parts = self.scratch(Scratch::Parts, plan.parts_bytes)?;
        self.combine(members, (launch.kernel, section), &plan, 0..plan.chunks.len(), (parts, result))?;
        self.note_stored(members, store.to);
        self.commit(members, slice::from_ref(section))?;
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
        let result = WireType { meaning: wire.meaning ^ meaning, ..wire };
        let entry = self.entry(section.entry, kind, Shape { own: OWN, result }, arguments)?;
        let chunks = Chunks::new(count, is_heavy, accumulators);
        // One block, whose threads do not wait for others', if it has room for a warp for each chunk.
        let (usual, of_all) = (threads(slice::from_ref(section)) as usize, chunks.len() * ACCUMULATORS);
        let large = if entry.function.footprint.large_blocks > 0 { Footprint::LARGE as usize } else { usual };
        let most = if !is_heavy && (usual..=large).contains(&of_all) { of_all } else { usual };
        // Whole warps, one thread per accumulator.
        let threads = (SHARED_BYTES / size / ACCUMULATORS * ACCUMULATORS).clamp(ACCUMULATORS, most);
        let shared_bytes = (threads.max(accumulators) * size) as u32;
        let grid = Grid { blocks: 1, threads: threads as u32, rows: 1, shared_bytes };
        // One block or warp per chunk, but no more blocks than run at the same time, since each one adds to the
        // counter.
        let most =
            if is_heavy { self.device().multiprocessors as usize * THREADS_OF_MULTIPROCESSOR / threads } else { 0 };
        Ok(Combination { entry, kind, grid, most, among, arguments, chunks, parts_bytes: chunks.len() * size })
    }

    /// Starts a reduction: computes some chunks, combines all of them, or does both if it computes all. `parts` is the address
    /// of room for the results of its chunks, `result` of room for the result.
    fn combine(
        &mut self,
        members: &mut Members<'_>,
        (kernel, section): (&'static str, &Section),
        launch: &Combination<'_>,
        of: Range<usize>,
        (parts, result): (u64, u64),
    ) -> Result<(), Error> {
        let done = self.blocks_done()?;
        let (sections, entry, arguments) = (slice::from_ref(section), section.entry, launch.arguments);
        let called = Called { kernel, sections, entry, kind: launch.kind, arguments };
        let entry = self.special(members, called, Arc::clone(&launch.entry))?;
        let words = self.words(members, &entry)?;
        let grid = launch.grid(of.len());
        launch.with_arguments(of.start as u32..of.end as u32, (parts, result, done), |all| {
            all.with_places(&words, |all| {
                // SAFETY: as `entry` has compared, the entry point takes two `u32`, four pointers, two `u32`, the kernel's
                // arguments and these table entries. The buffers have room for the results, and if it computes none, they are
                // there. The counter of finished blocks is 0: it starts at 0, and each kernel of this stream that uses it
                // resets it. The grid has the required number of threads. The rest holds as in `start`.
                unsafe { self.log.launch(kernel, &entry.function, grid, all) }
            })
        })?;
        self.spare = words;
        Ok(())
    }
}

impl<'a> Combined<'a> {
    /// A kernel and its reducer.
    fn of(section: &Section, launch: &Launch<'a>) -> Self {
        let (kind, is_heavy) = (Kind::Reduce(section.reducer), section.effects.is_heavy());
        Self { kind, meaning: 0, is_heavy, arguments: launch.arguments }
    }
}

/// A launch of a reduction, but for the memory that it writes.
struct Combination<'a> {
    entry: Arc<Loaded>,
    kind: Kind,
    /// The threads of a block.
    grid: Grid,
    /// The most blocks if a block computes a chunk, and 0 if a warp does.
    most: usize,
    /// The first object or position, the end, and the address of the list.
    among: (u32, u32, u64),
    arguments: &'a [Argument<'a>],
    chunks: Chunks,
    /// Bytes for the results of chunks.
    parts_bytes: usize,
}

impl Combination<'_> {
    /// The grid for so many chunks, or for none.
    fn grid(&self, chunks: usize) -> Grid {
        let blocks = match self.most {
            0 => (chunks * ACCUMULATORS).div_ceil(self.grid.threads as usize),
            most => chunks.min(most),
        };
        Grid { blocks: blocks.max(1) as u32, ..self.grid }
    }

    /// The chunks of objects that begin with a span, and end with one or are the last ones.
    fn part(&self, objects: Range<usize>) -> Range<usize> {
        let chunk =
            |object: usize| (object.div_ceil(self.chunks.span()) * self.chunks.of_span()).min(self.chunks.len());
        chunk(objects.start)..chunk(objects.end)
    }

    /// Calls `work` with all arguments, for some chunks; the addresses are those of the results of chunks, the result, and the
    /// counter of finished blocks.
    fn with_arguments<T>(
        &self,
        of: Range<u32>,
        (parts, result, done): (u64, u64, u64),
        work: impl FnOnce(&Arguments<'_>) -> T,
    ) -> T {
        let (first, end, list) = &self.among;
        let own = [
            Argument::of(first),
            Argument::of(end),
            Argument::of(list),
            Argument::of(&parts),
            Argument::of(&result),
            Argument::of(&done),
            Argument::of(&of.start),
            Argument::of(&of.end),
        ];
        work(&Arguments { own: &own, arguments: self.arguments })
    }
}
