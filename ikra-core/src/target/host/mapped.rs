//! The memory of columns of results on the host.

use std::sync::Arc;

use crate::shared::Memory;

/// Values that never change.
#[derive(Debug)]
pub struct Elements<T>(Arc<[T]>);

impl<T> Elements<T> {
    /// Keeps these values.
    pub(crate) fn new(values: Arc<[T]>) -> Self {
        Self(values)
    }

    /// All values. A device's copy lasts as long as they do.
    pub(crate) fn shared(&self) -> &Arc<[T]> {
        &self.0
    }

    /// The values as memory to copy to a device.
    pub(crate) fn as_memory(&self) -> Memory<'_>
    where
        T: Send + Sync + 'static,
    {
        Memory::of(&self.0)
    }
}

impl<T: Copy> Elements<T> {
    /// One of them.
    ///
    /// # Safety
    ///
    /// There are more than `n`.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, n: u32) -> T {
        // SAFETY: by the caller.
        unsafe { *self.0.get_unchecked(n as usize) }
    }
}
