//! The threads that run in lockstep.

pub(crate) const SIZE: u32 = 32;

#[inline]
pub(crate) fn lane_id() -> u32 {
    let lane;
    // SAFETY: reads a special register.
    unsafe {
        core::arch::asm!("mov.u32 {0}, %laneid;", out(reg32) lane, options(pure, nomem, nostack, preserves_flags));
    }
    lane
}

#[inline]
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
#[inline]
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

/// The value of the thread `from`.
///
/// # Safety
///
/// All threads in `mask` reach it with one mask and one `from`, which is among them.
#[inline(always)]
pub(crate) unsafe fn shuffle(mask: u32, value: u32, from: u32) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
        fn shuffle(mask: u32, value: u32, from: u32, clamp: u32) -> u32;
    }
    // SAFETY: all threads in `mask` reach it with one mask, and the source thread is among them.
    unsafe { shuffle(mask, value, from, 31) }
}

/// Waits for the other threads.
///
/// # Safety
///
/// All threads in `mask` reach it with one mask, or end.
#[inline(always)]
pub(crate) unsafe fn meet(mask: u32) {
    unsafe extern "C" {
        // An intrinsic, not `asm!`: only intrinsics are known to be convergent.
        #[link_name = "llvm.nvvm.bar.warp.sync"]
        fn barrier(threads: u32);
    }
    // SAFETY: all threads in `mask` reach it with one mask.
    unsafe { barrier(mask) }
}
