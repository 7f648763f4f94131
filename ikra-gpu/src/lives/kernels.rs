//! Launches of the kernels that end a run.

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;

use crate::arguments::Arguments;
use crate::changes::room;
use crate::chunks::{CHUNK, CHUNK_WORDS, PLACE_THREADS};
use crate::device_world::DeviceWorld;
use crate::driver::{Function, Grid};
use crate::lists::Ordering;

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

    /// Writes the positions of the bits that are set, in ascending order.
    pub(super) fn list_bits(&mut self, bits: u64, len: u32, list: u64, kernels: &Ordering) -> Result<(), Error> {
        let chunks = len.div_ceil(CHUNK);
        if chunks == 0 {
            return Ok(());
        }
        let memory = self.chunk_room(len)?;
        let (table_bytes, counts_bytes) = (size_of::<[[u32; 2]; 2]>(), chunks as usize * size_of::<[u32; 3]>());
        let (counts, class_count) = (memory + table_bytes as u64, 1_u32);
        let found = counts + counts_bytes as u64;
        let [bits, table, class_count, counts, found, list] = [
            Argument::of(&bits),
            Argument::of(&memory),
            Argument::of(&class_count),
            Argument::of(&counts),
            Argument::of(&found),
            Argument::of(&list),
        ];
        self.launch(&kernels.count, chunks, CHUNK_WORDS, 1, &[bits, counts])?;
        self.launch(&kernels.place, 1, PLACE_THREADS, 1, &[table, class_count, counts, found])?;
        self.launch(&kernels.write, chunks, CHUNK_WORDS, 2, &[bits, counts, list])
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
        let grid = Grid { blocks, threads, shared_bytes: words * threads * size_of::<u32>() as u32 };
        let arguments = Arguments { own, arguments: &[] };
        // SAFETY: the callers pass what the kernel takes: addresses of memory with room for the numbers given beside them.
        Ok(arguments.with_places(&[], |all| unsafe { self.log.launch(NAME, function, grid, all) })?)
    }

    /// Waits for numbers on the device.
    pub(super) fn read_numbers(&self, from: u64, len: usize) -> Result<Vec<u32>, Error> {
        let (mut numbers, inbox) = (vec![0_u32; len], self.log.inbox());
        let bytes = size_of_val(&numbers[..]);
        // SAFETY: the source has this many bytes, and the inbox has room for them.
        unsafe { self.log.copy_to_inbox(inbox.start(), from, bytes) }?;
        self.log.synchronize()?;
        // SAFETY: the bytes have arrived, and every bit pattern is a number.
        unsafe { std::ptr::copy_nonoverlapping(inbox.start(), numbers.as_mut_ptr().cast(), bytes) };
        self.log.count_down(bytes);
        Ok(numbers)
    }
}
