//! Copies of the host's memory on a device.

use std::fmt;

use crate::driver::Memory;

/// A copy of the host's memory.
pub(crate) struct Uploaded {
    /// The address of the original, which no other memory has as long as this exists.
    pub(crate) start: usize,
    /// Whether the original is gone.
    pub(crate) is_gone: Box<dyn Fn() -> bool + Send + Sync>,
    pub(crate) memory: Memory,
}

impl fmt::Debug for Uploaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Uploaded").field("memory", &self.memory).finish_non_exhaustive()
    }
}
