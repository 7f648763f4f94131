//! Device memory.

use ikra_runtime::error::Error;

use super::api::DevicePtr;
use super::context::Context;
use super::status::{OUT_OF_MEMORY, check};

/// An allocation in device memory, freed when dropped.
#[derive(Debug)]
pub struct Memory {
    context: Context,
    address: DevicePtr,
    len: usize,
}

impl Memory {
    /// Allocates `len` bytes, on a multiple of 256, for `what`.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfDeviceMemory`]; [`Error::DeviceLost`] after a fault.
    pub fn new(context: &Context, len: usize, what: &str) -> Result<Self, Error> {
        let api = context.enter()?;
        let mut address = 0;
        // SAFETY: the place is an address's, and the size is not zero.
        let status = unsafe { (api.mem_alloc)(&raw mut address, len.max(1)) };
        if status == OUT_OF_MEMORY {
            let (free, _) = context.memory()?;
            return Err(Error::OutOfDeviceMemory { what: what.to_owned(), requested: len, free });
        }
        check(api, "cuMemAlloc", status)?;
        Ok(Self { context: context.clone(), address, len })
    }

    /// Its address on the device.
    #[must_use]
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Its bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: allocated in `new`. The driver waits for kernels that use it. An error means that the context is
            // lost, and its memory with it.
            let _ = unsafe { (api.mem_free)(self.address) };
        }
    }
}
