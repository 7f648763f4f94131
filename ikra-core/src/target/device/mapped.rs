//! The memory of columns of results on the device.

use crate::target::element;

/// The address of values that do not change while a kernel runs.
#[derive(Debug)]
#[repr(transparent)]
pub struct Elements<T>(*const T);

// SAFETY: nothing writes the values while a kernel runs.
unsafe impl<T: Sync> Send for Elements<T> {}
// SAFETY: nothing writes the values while a kernel runs.
unsafe impl<T: Sync> Sync for Elements<T> {}

impl<T: Copy> Elements<T> {
    /// One of the values.
    ///
    /// # Safety
    ///
    /// There are more than `n`.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, n: u32) -> T {
        // SAFETY: by the caller.
        let at = unsafe { self.0.add(n as usize) };
        // SAFETY: the host passed the address of values that nothing writes meanwhile. Device memory starts on a line,
        // and the values are as far apart as their size.
        unsafe { element::read(at) }
    }
}
