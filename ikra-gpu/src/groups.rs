//! Groups and columns of results on a device: as arguments of kernels, and groups made of what a kernel returns.

use std::mem::MaybeUninit;
use std::sync::Arc;

use ikra_core::groups::Source;
use ikra_core::kernel::Argument;
use ikra_core::shared::Memory as HostMemory;
use ikra_core::target::groups::Remote;
use ikra_core::transfer::WireType;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::executor::Launch;
use ikra_runtime::groups::{GroupKeys, Grouped};
use ikra_runtime::list::ListMemory;

use crate::chunks::LIVES_THREADS;
use crate::device_world::{DeviceWorld, Scratch};
use crate::driver::Memory;
use crate::lists::DeviceList;
use crate::sort::{Keys, MOST, blocks};
use crate::step::Positions;
use crate::stream_log::Block;
use crate::tables::Members;
use crate::uploaded::Uploaded;

/// The name in error messages.
const NAME: &str = "grouping objects";

/// The words of groups, in device memory.
type OnDevice = Vec<MaybeUninit<u64>>;

/// The arguments of a launch, with the words of the groups among them.
fn with_words<'a>(launch: &Launch<'a>, groups: &'a [OnDevice]) -> Vec<Argument<'a>> {
    let mut groups = groups.iter();
    let with_words = |&argument: &Argument<'a>| match argument.as_groups().and_then(|_| groups.next()) {
        Some(words) if argument.as_groups().is_some_and(|groups| groups.is_worklist()) => {
            argument.bytes_of_worklist(words)
        }
        Some(words) => Argument::bytes_of(words),
        None => argument,
    };
    launch.arguments.iter().map(with_words).collect()
}

impl DeviceWorld {
    /// Calls `work` with a launch whose groups are in device memory.
    pub(crate) fn with_groups<T>(
        &mut self,
        launch: &Launch<'_>,
        work: impl FnOnce(&mut Self, &Launch<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let on_device = self.groups_on_device(launch)?;
        let arguments = with_words(launch, &on_device);
        // SAFETY: groups have the addresses at which their words were just uploaded; the rest is unchanged.
        work(self, &unsafe { launch.with_arguments(&arguments) })
    }

    /// The groups among a launch's arguments, in device memory.
    fn groups_on_device(&mut self, launch: &Launch<'_>) -> Result<Vec<OnDevice>, Error> {
        self.log.check()?;
        let mut on_device = Vec::new();
        for groups in launch.arguments.iter().filter_map(|argument| argument.as_groups()) {
            let [first, second] = groups.words();
            let class = groups.class().name();
            on_device.push(groups.on_device([self.words_of(class, first)?, self.words_of(class, second)?]));
        }
        Ok(on_device)
    }

    /// The address of an argument's memory, which this device may have made.
    fn words_of(&mut self, class: &str, words: Source<'_>) -> Result<u64, Error> {
        if matches!(words, Source::Loop) {
            // The loop sets it for each iteration.
            return Ok(0);
        }
        let own = words.remote().and_then(|memory| memory.downcast_ref::<DeviceList>());
        if let Some(own) = own.filter(|own| Arc::ptr_eq(&own.log, &self.log)) {
            return Ok(own.memory.address());
        }
        let lost = |reason| GpuError::Driver { call: format!("fetching groups of class {class}"), reason };
        self.upload_words(words.memory().map_err(lost)?)
    }

    /// Groups the objects of a launch by the keys that the kernel returns. `None` if the device cannot; then nothing has run.
    pub(crate) fn group(
        &mut self,
        members: &mut Members<'_>,
        launch: &Launch<'_>,
        keys: GroupKeys,
    ) -> Result<Option<Grouped>, Error> {
        let [section] = launch.sections else { return Ok(None) };
        let positions = Positions::of(&section.over);
        let (groups, wire) = match &keys {
            GroupKeys::Numbers(groups) => (*groups, WireType::of::<u32>()),
            GroupKeys::Grid2(grid) => (grid.cells(), WireType::of::<[f32; 2]>()),
            GroupKeys::Grid3(grid) => (grid.cells(), WireType::of::<[f32; 3]>()),
            _ => return Ok(None),
        };
        if positions.len() == 0 || positions.len() > MOST || groups == 0 || groups > MOST as u32 {
            return Ok(None);
        }
        let (len, log) = (positions.len() as u32, self.log.clone());
        let (_, results) = self.with_groups(launch, |world, launch| world.results(members, launch, wire))?;
        let each = |threads: u32| (blocks(threads), Block { threads: LIVES_THREADS, words: 0 });
        let address = match &keys {
            GroupKeys::Grid2(_) | GroupKeys::Grid3(_) => {
                self.scratch(Scratch::Keys, len as usize * size_of::<u32>())?
            }
            _ => results,
        };
        let [results, len_in, cells] = [Argument::of(&results), Argument::of(&len), Argument::of(&address)];
        let (of_objects, block) = each(len);
        match &keys {
            GroupKeys::Grid2(grid) => {
                log.start(
                    NAME,
                    &log.kernels.cells_2,
                    of_objects,
                    block,
                    &[results, len_in, Argument::of(grid), cells],
                )?;
            }
            GroupKeys::Grid3(grid) => {
                log.start(
                    NAME,
                    &log.kernels.cells_3,
                    of_objects,
                    block,
                    &[results, len_in, Argument::of(grid), cells],
                )?;
            }
            _ => {}
        }
        if let Some(place) = self.bad_key(address, len, groups)? {
            let key = match &keys {
                GroupKeys::Numbers(_) => Some(self.read_numbers(address + (place * size_of::<u32>()) as u64, 1)?[0]),
                _ => None,
            };
            return Ok(Some(Grouped::Bad { place, key }));
        }
        let ids = self.memory_to_keep(len as usize, "groups")?;
        let starts = self.memory_to_keep(groups as usize + 1, "groups")?;
        let bits = u32::BITS - (groups - 1).leading_zeros();
        let keys = Keys { address, are_wide: false, bits };
        let sorted = self.sort_positions(keys, len, ids.address(), true)?.unwrap_or_default();
        let (starts_at, (of_groups, block)) = (starts.address(), each(groups + 1));
        let own = [Argument::of(&sorted), len_in, Argument::of(&groups), Argument::of(&starts_at)];
        log.start(NAME, &log.kernels.starts, of_groups, block, &own)?;
        self.find_objects(&positions, ids.address(), false)?;
        let remote = |memory: Arc<Memory>, len: usize| {
            let list = Arc::new(DeviceList { memory, log: log.clone(), len });
            let fetched = list.clone();
            Remote { len, memory: list, fetch: Arc::new(move || fetched.fetch().map_err(|error| error.to_string())) }
        };
        Ok(Some(Grouped::Made { starts: remote(starts, groups as usize + 1), ids: remote(ids, len as usize) }))
    }

    /// The position of the first key that is not below the number of groups.
    fn bad_key(&mut self, keys: u64, len: u32, groups: u32) -> Result<Option<usize>, Error> {
        let (first, log) = (self.scratch(Scratch::Number, size_of::<u32>())?, self.log.clone());
        // SAFETY: memory of this size; its earlier users come before this in the stream (I28).
        unsafe { log.stream.upload(first, (&raw const len).cast(), size_of::<u32>())? };
        let own = [Argument::of(&keys), Argument::of(&len), Argument::of(&groups), Argument::of(&first)];
        log.start(NAME, &log.kernels.check_keys, blocks(len), Block { threads: LIVES_THREADS, words: 0 }, &own)?;
        let found = self.read_numbers(first, 1)?[0];
        Ok((found < len).then_some(found as usize))
    }

    /// The address of a copy. Memory is copied at its first use, and the copy is kept as long as the program keeps the
    /// memory.
    fn upload_words(&mut self, words: HostMemory<'_>) -> Result<u64, Error> {
        let (start, bytes) = (words.start().addr(), words.bytes());
        if bytes == 0 {
            return Ok(0);
        }
        if let Some(known) = self.groups.iter().find(|known| known.start == start && !(known.is_gone)()) {
            return Ok(known.memory.address());
        }
        // Groups that were dropped leave room: in the stream, the kernels that read them come before the copy.
        let mut gone = self.groups.extract_if(.., |known| (known.is_gone)());
        let room = gone.find(|known| known.memory.len() >= bytes).map(|known| known.memory);
        gone.for_each(drop);
        let memory = match room {
            Some(memory) => memory,
            None => Memory::new(&self.log.context, bytes.next_power_of_two(), "groups")?,
        };
        // SAFETY: there is room for the bytes.
        unsafe { self.log.stream.upload(memory.address(), words.start().cast(), bytes) }?;
        let address = memory.address();
        self.groups.push(Uploaded { start, is_gone: words.watch(), memory });
        Ok(address)
    }
}
