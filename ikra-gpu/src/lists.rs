//! Lists of links on a device, and the kernels that sort them; `device/lists.rs` describes the algorithm.

use std::any::Any;
use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_runtime::error::{Error, GpuError};
use ikra_runtime::list::{ListMemory, ListOrder};

use crate::chunks::{CHUNK_WORDS, PLACE_THREADS};
use crate::device_world::DeviceWorld;
use crate::driver::Memory;
use crate::stream_log::{Block, StreamLog};

/// One bit per object of some classes, and memory for a list of those whose bits are set. The bits of each class begin with
/// a chunk of their own.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sets {
    pub(crate) bits: u64,
    /// The first chunk of each class and its number of objects, then the end of the chunks. If this is 0, there is one class,
    /// and `class_count` is the number of its chunks.
    pub(crate) classes: u64,
    pub(crate) class_count: u32,
    pub(crate) chunks: u32,
    /// Room for three numbers per chunk.
    pub(crate) counts: u64,
    /// Room for three numbers per class: how many bits are set, the first one, and the last one.
    pub(crate) found: u64,
}

/// The bits that are to be set, with addresses and lengths.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wanted {
    /// Those that are set but for those of some words.
    Without(u64, u32),
    /// All below this one, but for those of some words.
    Below(u32, u64, u32),
    /// Those of flags, one byte per object.
    Flags(u64, u32),
}

impl Wanted {
    /// Those that are set.
    pub(crate) const SET: Self = Self::Without(0, 0);
}

impl Sets {
    /// Sets and clears bits, and counts those that are set then.
    pub(crate) fn number(&self, log: &StreamLog, work: &'static str, wanted: Wanted) -> Result<(), GpuError> {
        self.count(log, work, wanted)?;
        let Self { classes, class_count, counts, found, .. } = self;
        let own = [Argument::of(classes), Argument::of(class_count), Argument::of(counts), Argument::of(found)];
        log.start(work, &log.kernels.place, 1, Block { threads: PLACE_THREADS, words: 1 }, &own)
    }

    /// Sets and clears bits, and counts those of each chunk that are set then.
    fn count(&self, log: &StreamLog, work: &'static str, wanted: Wanted) -> Result<(), GpuError> {
        let Self { bits, chunks, counts, .. } = self;
        let [bits, counts] = [Argument::of(bits), Argument::of(counts)];
        let block = Block { threads: CHUNK_WORDS, words: 1 };
        if *chunks > 0 {
            match wanted {
                Wanted::Flags(from, len) => {
                    let own = [Argument::of(&from), Argument::of(&len), bits, counts];
                    log.start(work, &log.kernels.choose, *chunks, block, &own)?;
                }
                Wanted::Without(cleared, words) | Wanted::Below(_, cleared, words) => {
                    let all = if let Wanted::Below(all, ..) = wanted { all } else { 0 };
                    let [all, cleared, words] = [Argument::of(&all), Argument::of(&cleared), Argument::of(&words)];
                    log.start(work, &log.kernels.count, *chunks, block, &[bits, all, cleared, words, counts])?;
                }
            }
        }
        Ok(())
    }

    /// [Numbers](Self::number) the bits of one class, and [writes](Self::write) lists of all positions. How many bits are set is
    /// known.
    pub(crate) fn number_and_write(
        &self,
        log: &StreamLog,
        work: &'static str,
        wanted: Wanted,
        list: u64,
        free: (u64, u32),
    ) -> Result<(), GpuError> {
        if self.chunks > CHUNK_WORDS {
            self.number(log, work, wanted)?;
            return self.write(log, work, (0, 0), list, free);
        }
        self.count(log, work, wanted)?;
        self.write_from(log, work, (0, 0), list, free, false)
    }

    /// Writes the list of the objects whose bits are set, in ascending order and each class at a multiple of 32. Bit *n*
    /// stands for position `first` plus *n* of the list `from`, or for that position itself if the address is 0. The list
    /// `free` gets the positions below `slots` whose bits are not set, if there is one class.
    pub(crate) fn write(
        &self,
        log: &StreamLog,
        work: &'static str,
        (from, first): (u64, u32),
        list: u64,
        free: (u64, u32),
    ) -> Result<(), GpuError> {
        self.write_from(log, work, (from, first), list, free, true)
    }

    /// As above. If nothing has placed the chunks, each adds up what earlier ones have.
    fn write_from(
        &self,
        log: &StreamLog,
        work: &'static str,
        (from, first): (u64, u32),
        list: u64,
        (free, slots): (u64, u32),
        is_placed: bool,
    ) -> Result<(), GpuError> {
        if self.chunks == 0 {
            return Ok(());
        }
        let is_placed = u32::from(is_placed);
        let own = [
            Argument::of(&self.bits),
            Argument::of(&self.counts),
            Argument::of(&from),
            Argument::of(&first),
            Argument::of(&list),
            Argument::of(&free),
            Argument::of(&slots),
            Argument::of(&is_placed),
        ];
        log.start(work, &log.kernels.write, self.chunks, Block { threads: CHUNK_WORDS, words: 2 }, &own)
    }
}

/// A list, or other numbers, in device memory.
#[derive(Debug)]
pub(crate) struct DeviceList {
    pub(crate) memory: Arc<Memory>,
    pub(crate) log: Arc<StreamLog>,
    pub(crate) len: usize,
}

impl DeviceList {
    /// The address of a list, if it is on this stream's device.
    pub(crate) fn address(list: &ListOrder, log: &Arc<StreamLog>) -> Option<u64> {
        let own: &Self = list.memory()?.as_any().downcast_ref()?;
        Arc::ptr_eq(&own.log, log).then(|| own.memory.address())
    }
}

// SAFETY: the stream's kernels wrote the list's objects to the memory, before this copy (I28).
unsafe impl ListMemory for DeviceList {
    fn fetch(&self) -> Result<Vec<u32>, Error> {
        // SAFETY: the memory has so many.
        unsafe { self.log.fetched(self.memory.address(), self.len) }
    }
    fn numbers(&self) -> usize {
        self.len
    }
    fn is_there(&self) -> bool {
        self.log.check().is_ok()
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
}

impl DeviceWorld {
    /// The address of the list of objects, if there is a list. It is copied at its first use, and kept as long as the
    /// program keeps it.
    ///
    /// # Panics
    ///
    /// If the list has 2³² objects or more, over all classes.
    pub(crate) fn upload_list(&mut self, list: Option<&Arc<ListOrder>>) -> Result<u64, Error> {
        let Some(list) = list else { return Ok(0) };
        if let Some(address) = DeviceList::address(list, &self.log) {
            return Ok(address);
        }
        let objects = list.objects()?;
        if let Some((_, memory)) = self.lists.iter().find(|(known, _)| known.as_ptr() == Arc::as_ptr(list)) {
            return Ok(memory.address());
        }
        assert!(u32::try_from(objects.len()).is_ok(), "places in lists for a GPU are numbers of 32 bits");
        let bytes = size_of_val(objects);
        // Lists that were dropped leave room: in the stream, the kernels that read them come before the copy.
        let mut gone = self.lists.extract_if(.., |(known, _)| known.strong_count() == 0);
        let room = gone.find(|(_, memory)| memory.len() >= bytes).map(|(_, memory)| memory);
        gone.for_each(drop);
        let memory = match room {
            Some(memory) => memory,
            None => Memory::new(&self.log.context, bytes.next_power_of_two(), "a list of objects")?,
        };
        // SAFETY: there is room for the list.
        unsafe { self.log.stream.upload(memory.address(), objects.as_ptr().cast(), bytes) }?;
        let address = memory.address();
        self.lists.push((Arc::downgrade(list), memory));
        Ok(address)
    }
}
