//! The threads that run in lockstep.

pub(crate) const SIZE: u32 = 32;

#[inline(always)]
pub(crate) fn lane_id() -> u32 {
    let lane;
    // SAFETY: reads a special register.
    unsafe {
        core::arch::asm!("mov.u32 {0}, %laneid;", out(reg32) lane, options(pure, nomem, nostack, preserves_flags));
    }
    lane
}

#[inline(always)]
pub(crate) fn activemask() -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.activemask"]
        fn activemask() -> u32;
    }
    // SAFETY: reads the mask of active threads.
    unsafe { activemask() }
}

/// # Safety
///
/// As for `warp::ballot`.
#[inline(always)]
pub(crate) unsafe fn ballot(mask: u32, predicate: bool) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.vote.ballot.sync"]
        fn ballot(mask: u32, predicate: bool) -> u32;
    }
    // SAFETY: all threads in `mask` reach it with one mask.
    unsafe { ballot(mask, predicate) }
}

/// # Safety
///
/// As for `warp::shuffle_xor`.
#[inline(always)]
pub(crate) unsafe fn shuffle_xor(mask: u32, value: u32, change: u32) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
        fn shuffle(mask: u32, value: u32, change: u32, clamp: u32) -> u32;
    }
    // SAFETY: all threads in `mask` reach it with one mask, and the source thread is among them.
    unsafe { shuffle(mask, value, change, 31) }
}
