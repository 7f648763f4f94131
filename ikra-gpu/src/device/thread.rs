//! Which thread this is, under `cuda_std`'s names.

use core::arch::nvptx::{_block_dim_x, _block_idx_x, _grid_dim_x, _thread_idx_x};

/// The thread's position in its block.
#[inline(always)]
#[must_use]
pub fn thread_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _thread_idx_x() as u32 }
}

/// The block's position in the grid.
#[inline(always)]
#[must_use]
pub fn block_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _block_idx_x() as u32 }
}

/// Threads of a block.
#[inline(always)]
#[must_use]
pub fn block_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _block_dim_x() as u32 }
}

/// Blocks of the grid.
#[inline(always)]
#[must_use]
pub fn grid_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { _grid_dim_x() as u32 }
}

/// The thread's position in the grid.
#[inline(always)]
#[must_use]
pub fn index_1d() -> u32 {
    block_idx_x() * block_dim_x() + thread_idx_x()
}

/// Waits for all threads of the block.
///
/// # Safety
///
/// Every thread of the block comes to the same call.
#[inline(always)]
pub unsafe fn sync_threads() {
    unsafe extern "C" {
        // An intrinsic, not `asm!`: only so is it known to be convergent.
        #[link_name = "llvm.nvvm.barrier.cta.sync.all"]
        fn barrier(id: u32);
    }
    // SAFETY: passed on.
    unsafe { barrier(0) }
}

/// Waits for all threads of the warp, and makes what they wrote to memory visible to each other.
///
/// # Safety
///
/// Every thread of the warp comes to the same call.
#[inline(always)]
pub unsafe fn sync_warp() {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.bar.warp.sync"]
        fn barrier(threads: u32);
    }
    // SAFETY: passed on.
    unsafe { barrier(u32::MAX) }
}
