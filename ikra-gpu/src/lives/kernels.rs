//! Launches of the kernels that end a run.

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;

use crate::changes::room;
use crate::chunks::CHUNK;
use crate::device_world::DeviceWorld;
use crate::driver::Function;
use crate::lists::{Sets, Wanted};
use crate::stream_log::Block;

/// The name in error messages.
pub(super) const NAME: &str = "making and removing objects";

impl DeviceWorld {
    /// Memory for a list of bits: the table of its chunks, which it holds, and room for the results of each and of all.
    pub(super) fn chunk_room(&mut self, len: u32) -> Result<u64, Error> {
        let chunks = len.div_ceil(CHUNK);
        // The first chunk of the class, and the end of the chunks. The number of objects does not matter here.
        let table: [[u32; 2]; 2] = [[0, 0], [chunks, 0]];
        let bytes = size_of_val(&table) + (1 + chunks as usize) * size_of::<[u32; 3]>();
        if self.changes.chunks.as_ref().is_none_or(|(memory, of)| memory.len() < bytes || *of != chunks) {
            let mut memory = self.changes.chunks.take().map(|(memory, _)| memory);
            let address = room(&mut memory, &self.log, bytes)?;
            // SAFETY: there is room; earlier users of the memory come before this in the stream (I28).
            unsafe { self.log.stream.upload(address, table.as_ptr().cast(), size_of_val(&table))? };
            self.changes.chunks = memory.map(|memory| (memory, chunks));
        }
        Ok(self.changes.chunks.as_ref().map_or(0, |(memory, _)| memory.address()))
    }

    /// Bits of a class with `len` indices at this address, with memory for a list of them.
    pub(crate) fn sets(&mut self, bits: u64, len: u32) -> Result<Sets, Error> {
        let (classes, chunks) = (self.chunk_room(len)?, len.div_ceil(CHUNK));
        let counts = classes + size_of::<[[u32; 2]; 2]>() as u64;
        let found = counts + (chunks as usize * size_of::<[u32; 3]>()) as u64;
        Ok(Sets { bits, classes, class_count: 1, chunks, counts, found })
    }

    /// Writes the positions of the bits that are set to a list, in ascending order, and the others to `free` unless that is 0.
    /// Clears the bits of the objects that a kernel has removed before.
    pub(super) fn list_bits(
        &mut self,
        (bits, len): (u64, u32),
        removed: Wanted,
        (list, free): (u64, u64),
    ) -> Result<(), Error> {
        if len == 0 {
            return Ok(());
        }
        let sets = self.sets(bits, len)?;
        sets.number(&self.log, NAME, removed)?;
        let slots = if free == 0 { 0 } else { len };
        Ok(sets.write(&self.log, NAME, (0, 0), list, (free, slots))?)
    }

    /// Starts one of these kernels, with shared memory for some words per thread.
    pub(super) fn launch(
        &self,
        function: &Function,
        blocks: u32,
        threads: u32,
        words: u32,
        own: &[Argument<'_>],
    ) -> Result<(), Error> {
        Ok(self.log.start(NAME, function, blocks, Block { threads, words }, own)?)
    }

    /// Waits for numbers on the device. `meanwhile` starts work that does not need them.
    pub(crate) fn read_numbers(
        &self,
        from: u64,
        len: usize,
        meanwhile: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<Vec<u32>, Error> {
        let (mut numbers, inbox) = (vec![0_u32; len], self.log.inbox());
        let bytes = size_of_val(&numbers[..]);
        // SAFETY: the source has this many bytes, and the inbox has room for them.
        unsafe { self.log.copy_to_inbox(inbox.start(), from, bytes) }?;
        let copied = self.log.stream.mark()?;
        meanwhile(self)?;
        copied.wait().map_err(|error| self.log.blame(error))?;
        // SAFETY: the bytes have arrived, and every bit pattern is a number.
        unsafe { std::ptr::copy_nonoverlapping(inbox.start(), numbers.as_mut_ptr().cast(), bytes) };
        self.log.count_down(bytes);
        Ok(numbers)
    }
}
