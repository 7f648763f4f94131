//! Device memory.

use std::ptr::NonNull;

use ikra_runtime::error::GpuError;

use super::api::DevicePtr;
use super::context::Context;
use super::status::{OUT_OF_MEMORY, check};

/// On multiples of what long allocations start. Columns that do so are spread over a device's caches in the same way wherever they
/// are: 65,536 objects that follow 100 links each took an H200 68.4 µs, and 75.3 with columns 4 KiB or more behind such a place.
const LONG_ALIGN: usize = 64 * 1024;
/// From how many bytes on the driver sees to that.
const DRIVERS_OWN: usize = 2 * 1024 * 1024;

/// An allocation in device memory, freed when dropped.
#[derive(Debug)]
pub struct Memory {
    context: Context,
    /// What the driver allocated, in which the memory is.
    allocated: DevicePtr,
    address: DevicePtr,
    len: usize,
}

impl Memory {
    /// Allocates `len` bytes, on a multiple of 256, or of 64 KiB if they are as many, for `what`.
    ///
    /// # Errors
    ///
    /// [`GpuError::OutOfDeviceMemory`]; [`GpuError::DeviceLost`] after a fault.
    pub fn new(context: &Context, len: usize, what: &str) -> Result<Self, GpuError> {
        let api = context.enter()?;
        // As much more as the start may have to move.
        let more = if (LONG_ALIGN..DRIVERS_OWN).contains(&len) { LONG_ALIGN } else { 0 };
        let mut allocated = 0;
        // SAFETY: the place is an address's, and the size is not zero.
        let status = unsafe { (api.mem_alloc)(&raw mut allocated, len.max(1) + more) };
        if status == OUT_OF_MEMORY {
            let (free, _) = context.memory()?;
            return Err(GpuError::OutOfDeviceMemory { what: what.to_owned(), requested: len, free });
        }
        check(api, "cuMemAlloc", status)?;
        let address = if more > 0 { allocated.next_multiple_of(LONG_ALIGN as u64) } else { allocated };
        Ok(Self { context: context.clone(), allocated, address, len })
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

/// Page-locked host memory, which the device can read and write too: for results, which then need no copy,
/// and for small copies, which then need no other.
#[derive(Debug)]
pub struct HostMemory {
    context: Context,
    start: NonNull<u8>,
    len: usize,
}

// SAFETY: owned memory.
unsafe impl Send for HostMemory {}
// SAFETY: owned memory, written through `&mut self` or by the device only.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Allocates `len` bytes, not 0, zeroed.
    ///
    /// # Errors
    ///
    /// [`GpuError::Driver`]; [`GpuError::DeviceLost`] after a fault.
    pub fn new(context: &Context, len: usize) -> Result<Self, GpuError> {
        let api = context.enter()?;
        let mut start = std::ptr::null_mut();
        // SAFETY: the place is a pointer's.
        check(api, "cuMemHostAlloc", unsafe { (api.host_alloc)(&raw mut start, len, 0) })?;
        let Some(start) = NonNull::new(start.cast::<u8>()) else {
            return Err(GpuError::Driver { call: "cuMemHostAlloc".into(), reason: "it returned no address".into() });
        };
        // SAFETY: there are `len` bytes.
        unsafe { start.write_bytes(0, len) };
        Ok(Self { context: context.clone(), start, len })
    }

    /// Its address, on the host and on the device.
    #[must_use]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
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

impl Drop for HostMemory {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: allocated in `new`. An error means that the context is lost.
            let _ = unsafe { (api.host_free)(self.start.as_ptr().cast()) };
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if let Ok(api) = self.context.enter() {
            // SAFETY: allocated in `new`. The driver waits for kernels that use it. An error means that the context is
            // lost, and its memory with it.
            let _ = unsafe { (api.mem_free)(self.allocated) };
        }
    }
}
