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
    /// Memory for a list of bits: room for the results of each chunk and of all.
    pub(super) fn chunk_room(&mut self, len: u32) -> Result<u64, Error> {
        let bytes = (1 + len.div_ceil(CHUNK) as usize) * size_of::<[u32; 3]>();
        Ok(room(&mut self.changes.chunks, &self.log, bytes)?)
    }

    /// Bits of a class with `len` indices at this address, with memory for a list of them.
    pub(crate) fn sets(&mut self, bits: u64, len: u32) -> Result<Sets, Error> {
        let (counts, chunks) = (self.chunk_room(len)?, len.div_ceil(CHUNK));
        let found = counts + (chunks as usize * size_of::<[u32; 3]>()) as u64;
        Ok(Sets { bits, classes: 0, class_count: chunks, chunks, counts, found })
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
        let slots = if free == 0 { 0 } else { len };
        Ok(self.sets(bits, len)?.number_and_write(&self.log, NAME, removed, list, (free, slots))?)
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

    /// Waits for numbers on the device.
    pub(crate) fn read_numbers(&self, from: u64, len: usize) -> Result<Vec<u32>, Error> {
        let bytes = len * size_of::<u32>();
        let copy = |device: &Self, to| {
            // SAFETY: the source has this many bytes, and the inbox has room for them.
            Ok(unsafe { device.log.copy_to_inbox(to, from, bytes) }?)
        };
        // SAFETY: the copy writes all of them.
        unsafe { self.receive(len, copy, |_| Ok(())) }
    }

    /// Waits for numbers that a kernel writes to the inbox. `meanwhile` starts work that does not need them.
    ///
    /// # Safety
    ///
    /// `start` starts it.
    pub(super) unsafe fn receive(
        &self,
        len: usize,
        start: impl FnOnce(&Self, *mut u8) -> Result<(), Error>,
        meanwhile: impl FnOnce(&Self) -> Result<(), Error>,
    ) -> Result<Vec<u32>, Error> {
        let (mut numbers, inbox) = (vec![0_u32; len], self.log.inbox());
        let bytes = size_of_val(&numbers[..]);
        start(self, inbox.start())?;
        let copied = self.log.stream.mark()?;
        meanwhile(self)?;
        copied.wait().map_err(|error| self.log.blame(error))?;
        // SAFETY: the bytes have arrived, and every bit pattern is a number.
        unsafe { std::ptr::copy_nonoverlapping(inbox.start(), numbers.as_mut_ptr().cast(), bytes) };
        self.log.count_down(bytes);
        Ok(numbers)
    }
}
