//! The memory of groups on the device.

use crate::target::element;

/// The address of numbers that do not change while a kernel runs.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Words(*const u32);

// SAFETY: nothing writes the numbers while a kernel runs.
unsafe impl Send for Words {}
// SAFETY: nothing writes the numbers while a kernel runs.
unsafe impl Sync for Words {}

impl Words {
    /// As on the host: the host passed the address.
    #[inline(always)]
    pub(crate) fn bring(&self) {}

    /// One of the numbers.
    ///
    /// # Safety
    ///
    /// There are more than `n`.
    #[inline(always)]
    pub(crate) unsafe fn get(&self, n: u32) -> u32 {
        // SAFETY: by the caller.
        let at = unsafe { self.0.add(n as usize) };
        // SAFETY: the host passed the address of numbers that nothing writes meanwhile.
        unsafe { element::read(at) }
    }
}

/// The host has checked the groups before it launched the kernel.
#[derive(Clone, Copy, Debug)]
pub struct Made;

impl Made {
    /// As on the host, which checks.
    #[inline(always)]
    pub(crate) fn is_stale(&self, _: (u64, u64)) -> bool {
        false
    }
}
