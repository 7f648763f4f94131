//! Kernels whose results are kept, one per object.

use std::mem::MaybeUninit;
use std::ops::Range;
use std::slice;

use ikra_core::kernel::Argument;
use ikra_core::transfer::WireType;
use ikra_runtime::error::Error;
use ikra_runtime::executor::{Collection, Extent, Launch, Section};

use crate::arguments::Arguments;
use crate::code::{Kind, Shape};
use crate::device_world::{DeviceWorld, Scratch};
use crate::special::Called;
use crate::step::Positions;
use crate::tables::Members;

/// Bytes of such a kernel's parameters before its arguments.
const OWN: &[usize] = &[4, 4, 8, 8];

/// Which of the objects of a run are this process's.
fn own(over: &Extent) -> Range<usize> {
    if let Extent::Shared(shared) = over { shared.own() } else { 0..over.len() }
}

impl DeviceWorld {
    /// Runs the kernel for the objects of all sections, and writes the results to the collection's memory.
    pub(crate) fn collect(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        collection: Collection,
    ) -> Result<(), Error> {
        let (count, mut from) = self.results(members, launch, collection.wire)?;
        let (log, size) = (self.log.clone(), collection.wire.size);
        // SAFETY: the collection's memory, to which nothing else refers, has room for all results.
        let mut all = unsafe { slice::from_raw_parts_mut(collection.results.as_ptr().cast(), count * size) };
        let mut sections = Vec::with_capacity(launch.sections.len());
        for section in launch.sections {
            let (results, rest) = all.split_at_mut(section.over.len() * size);
            let own = own(&section.over);
            let bytes: &mut [MaybeUninit<u8>] = &mut results[own.start * size..own.end * size];
            let address = from + (own.start * size) as u64;
            // SAFETY: there are so many results, and the memory has room for them until the stream is synchronised below, also
            // after an error.
            let copied = unsafe { log.stream.download(bytes.as_mut_ptr().cast(), address, bytes.len()) };
            log.count_down(bytes.len());
            from += results.len() as u64;
            sections.push((&section.over, results, own, copied));
            all = rest;
        }
        log.synchronize()?;
        for (over, results, own, copied) in sections {
            copied.map_err(|error| log.blame(error))?;
            if let (Extent::Shared(shared), false) = (over, results.is_empty()) {
                shared.sharing().complete(results, size, own)?;
            }
        }
        Ok(())
    }

    /// Runs the kernel for the objects of all sections. Returns the number of results, and their address on the device: one
    /// section after another, each in the order of its objects. They last until the next call.
    pub(crate) fn results(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        wire: WireType,
    ) -> Result<(usize, u64), Error> {
        let count: usize = launch.sections.iter().map(|section| section.over.len()).sum();
        let results = self.scratch(Scratch::Each, (count * wire.size).max(1))?;
        let mut done = 0;
        for section in launch.sections.iter().filter(|section| !section.over.is_empty()) {
            let own = own(&section.over);
            let to = results + ((done + own.start) * wire.size) as u64;
            match own.is_empty() {
                false => self.start_collecting(members, launch, section, wire, to)?,
                // The device has the columns afterwards, as the others do.
                true => self.prepare(members, slice::from_ref(section))?,
            }
            done += section.over.len();
        }
        Ok((count, results))
    }

    /// Starts a class's kernel for at least one object, and stores the results from this address on.
    fn start_collecting(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        section: &Section,
        wire: WireType,
        results: u64,
    ) -> Result<(), Error> {
        let positions = Positions::of(&section.over);
        let sections = slice::from_ref(section);
        self.prepare(members, sections)?;
        let general = self.entry(section.entry, Kind::Collect, Shape { own: OWN, result: wire }, launch.arguments)?;
        let (kernel, entry, arguments) = (launch.kernel, section.entry, launch.arguments);
        let entry =
            self.special(members, Called { kernel, sections, entry, kind: Kind::Collect, arguments }, general)?;
        let grid = self.grid(sections, positions.len(), &entry);
        let list = self.upload_list(positions.list.as_ref())?;
        let (first, end) = (positions.first as u32, positions.end as u32);
        let own = [Argument::of(&first), Argument::of(&end), Argument::of(&list), Argument::of(&results)];
        let all = Arguments { own: &own, arguments: launch.arguments };
        let words = self.words(members, &entry)?;
        // SAFETY: as `entry` has compared, the entry point takes two `u32`, two pointers, the kernel's arguments and these
        // table entries, and stores results of this type. There is room for one per object. The rest holds as in `start`.
        all.with_places(&words, |all| unsafe { self.log.launch(launch.kernel, &entry.function, grid, all) })?;
        self.spare = words;
        self.commit(members, sections)
    }
}
