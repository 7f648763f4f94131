//! The 32 threads that run in step, under `cuda_std`'s names.
//!
//! A kernel is called for one object a thread, and which objects share a warp is no promise: use this
//! for measurements and for code of one's own around kernels, not for results.

use core::arch::asm;

/// The thread's position in its warp, 0 to 31.
#[inline(always)]
#[must_use]
pub fn lane_id() -> u32 {
    let lane;
    // SAFETY: reads a special register.
    unsafe { asm!("mov.u32 {0}, %laneid;", out(reg32) lane, options(pure, nomem, nostack, preserves_flags)) };
    lane
}

/// The threads of the warp that are here now, a bit each.
#[inline(always)]
#[must_use]
pub fn activemask() -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.activemask"]
        fn activemask() -> u32;
    }
    // SAFETY: reads which threads are active.
    unsafe { activemask() }
}

/// Of the threads in `mask`, those for which `predicate` holds, a bit each.
///
/// # Safety
///
/// All threads in `mask` come to the same call with the same mask, and this one is among them.
#[inline(always)]
#[must_use]
pub unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.vote.ballot.sync"]
        fn ballot(mask: u32, predicate: bool) -> u32;
    }
    // SAFETY: passed on.
    unsafe { ballot(mask, predicate) }
}

/// The value that the thread `lane XOR change` of the warp passes.
///
/// # Safety
///
/// As for [`ballot`], and that thread is in `mask`.
#[inline(always)]
#[must_use]
pub unsafe fn shuffle_xor(mask: u32, value: u32, change: u32) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
        fn shuffle(mask: u32, value: u32, change: u32, clamp: u32) -> u32;
    }
    // SAFETY: passed on.
    unsafe { shuffle(mask, value, change, 31) }
}
