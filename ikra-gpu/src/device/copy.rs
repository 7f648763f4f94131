//! Copies of bytes to the host.

use ikra_core::thread;

/// Bytes of a word.
const WORD: u32 = 4;

/// Copies `bytes` bytes, by one block: the device's copy engine would start later than a kernel.
///
/// # Safety
///
/// 1. `from` has `bytes` bytes, and `to` has room for them; both are multiples of 4, and nothing else writes either
///    meanwhile.
/// 2. The kernel runs as one block, of four threads or more.
#[inline(always)]
pub unsafe fn copy(from: *const u8, to: *mut u8, bytes: u32) {
    let words = bytes / WORD;
    let mut n = thread::thread_idx_x();
    while n < words {
        // SAFETY: within the bytes, and a multiple of 4.
        unsafe { to.cast::<u32>().add(n as usize).write(from.cast::<u32>().add(n as usize).read()) };
        n += thread::block_dim_x();
    }
    let rest = words * WORD + thread::thread_idx_x();
    if rest < bytes {
        // SAFETY: within the bytes: fewer bytes are left than the block has threads.
        unsafe { to.add(rest as usize).write(from.add(rest as usize).read()) };
    }
}
