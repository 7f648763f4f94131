//! Groups as arguments of kernels on a device.

use std::ptr;
use std::sync::Arc;

use ikra_core::kernel::Argument;
use ikra_runtime::error::Error;
use ikra_runtime::executor::Launch;

use crate::device_world::DeviceWorld;
use crate::driver::Memory;

impl DeviceWorld {
    /// Calls `work` with a launch whose groups are in device memory.
    pub(crate) fn with_groups<T>(
        &mut self,
        launch: &Launch<'_>,
        work: impl FnOnce(&mut Self, &Launch<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        self.log.check()?;
        let mut on_device = Vec::new();
        for groups in launch.arguments.iter().filter_map(|argument| argument.as_groups()) {
            let [starts, ids] = groups.words();
            on_device.push(groups.on_device([self.upload_words(starts)?, self.upload_words(ids)?]));
        }
        let mut uploaded = on_device.iter();
        let arguments: Vec<_> = launch
            .arguments
            .iter()
            .map(|&argument| match argument.as_groups().and_then(|_| uploaded.next()) {
                Some(words) => Argument::bytes_of(words),
                None => argument,
            })
            .collect();
        // SAFETY: groups have the addresses at which their words were just uploaded; the rest is unchanged.
        work(self, &unsafe { launch.with_arguments(&arguments) })
    }

    /// The address of numbers of groups. They are copied at their first use, and kept as long as the program keeps the
    /// groups.
    fn upload_words(&mut self, words: &Arc<[u32]>) -> Result<u64, Error> {
        if let Some((_, memory)) =
            self.groups.iter().find(|(known, _)| ptr::addr_eq(known.as_ptr(), Arc::as_ptr(words)))
        {
            return Ok(memory.address());
        }
        let bytes = size_of_val(&words[..]);
        // Groups that were dropped leave room: in the stream, the kernels that read them come before the copy.
        let mut gone = self.groups.extract_if(.., |(known, _)| known.strong_count() == 0);
        let room = gone.find(|(_, memory)| memory.len() >= bytes).map(|(_, memory)| memory);
        gone.for_each(drop);
        let memory = match room {
            Some(memory) => memory,
            None => Memory::new(&self.log.context, bytes.next_power_of_two(), "groups")?,
        };
        // SAFETY: there is room for the numbers.
        unsafe { self.log.stream.upload(memory.address(), words.as_ptr().cast(), bytes) }?;
        let address = memory.address();
        self.groups.push((Arc::downgrade(words), memory));
        Ok(address)
    }
}
