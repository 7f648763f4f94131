//! The position of this thread.

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};

#[inline(always)]
pub(crate) fn thread_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _thread_idx_x() as u32 }
}
#[inline(always)]
pub(crate) fn block_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _block_idx_x() as u32 }
}
#[inline(always)]
pub(crate) fn block_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _block_dim_x() as u32 }
}
#[inline(always)]
pub(crate) fn grid_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _grid_dim_x() as u32 }
}

/// # Safety
///
/// As for `thread::sync_threads`.
#[inline(always)]
pub(crate) unsafe fn sync_threads() {
    unsafe extern "C" {
        // An intrinsic, not `asm!`: only intrinsics are known to be convergent.
        #[link_name = "llvm.nvvm.barrier.cta.sync.all"]
        fn barrier(id: u32);
    }
    // SAFETY: every thread of the block reaches it.
    unsafe { barrier(0) }
}

/// # Safety
///
/// As for `thread::sync_warp`.
#[inline(always)]
pub(crate) unsafe fn sync_warp() {
    // SAFETY: every thread of the warp reaches it.
    unsafe { super::warp::meet(u32::MAX) }
}
