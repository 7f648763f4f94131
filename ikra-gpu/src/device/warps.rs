//! The threads of a warp together. Every function is for whole warps, all threads of which reach it.

use core::arch::asm;
use core::mem::MaybeUninit;

use ikra_core::thread;

/// Threads of a warp.
pub(super) const LANES: u32 = 32;

/// This thread's position in its warp.
#[inline(always)]
pub(super) fn lane() -> u32 {
    thread::thread_idx_x() % LANES
}

/// As [`lane`], read here: the assembler would keep what is computed from the number of the thread in registers that
/// loads between here and there need.
#[inline]
pub(super) fn lane_now() -> u32 {
    let lane;
    // SAFETY: reads a register. Not `pure`, so that it is read each time.
    unsafe { asm!("mov.u32 {0}, %laneid;", out(reg32) lane, options(nomem, nostack, preserves_flags)) };
    lane
}

/// The threads for which the condition holds, one bit per thread.
///
/// # Safety
///
/// All threads of the warp reach this call.
#[inline(always)]
pub(super) unsafe fn ballot(condition: bool) -> u32 {
    // SAFETY: all threads of the warp reach this with one mask.
    unsafe { ikra_core::warp::ballot(u32::MAX, condition) }
}

/// The value of another thread of the warp.
///
/// # Safety
///
/// All threads of the warp reach this call. `from` is below [`LANES`].
#[inline]
pub(super) unsafe fn from(value: u32, from: u32) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
        fn shuffle(mask: u32, value: u32, lane: u32, clamp: u32) -> u32;
    }
    // SAFETY: all threads of the warp reach this with one mask, and `from` is one of them.
    unsafe { shuffle(u32::MAX, value, from, 31) }
}

/// The most bytes of a value for [`further`].
pub(super) const MOST_BYTES: usize = 32;

/// The value of the thread that comes `by` threads later in the warp, or of some thread if there is none.
///
/// # Safety
///
/// All threads of the warp reach this call. The value has [`MOST_BYTES`] at most.
#[inline(always)]
pub(super) unsafe fn further<T: Copy>(value: T, by: u32) -> T {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
        fn shuffle(mask: u32, value: MaybeUninit<u32>, by: u32, clamp: u32) -> MaybeUninit<u32>;
    }
    const WORDS: usize = MOST_BYTES / size_of::<u32>();
    // Padding stays uninitialised.
    let mut words = [MaybeUninit::<u32>::uninit(); WORDS];
    // SAFETY: by the caller there is room for the value, whose bytes are copied.
    unsafe { words.as_mut_ptr().cast::<T>().write_unaligned(value) };
    // Indexing, which is unrolled: an iterator over the array would put it in memory.
    for n in 0..const { size_of::<T>().div_ceil(size_of::<u32>()) } {
        // SAFETY: all threads of the warp reach this with one mask; those without a source get their own value.
        words[n] = unsafe { shuffle(u32::MAX, words[n], by, 31) };
    }
    // SAFETY: the bytes of another thread's value of this type.
    unsafe { words.as_ptr().cast::<T>().read_unaligned() }
}

/// The sum of the values of the threads up to this one.
///
/// # Safety
///
/// All threads of the warp reach this call.
#[inline(always)]
pub(super) unsafe fn summed(value: u32) -> u32 {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
        fn shuffle(mask: u32, value: u32, by: u32, clamp: u32) -> u32;
    }
    let (mut sum, mut width) = (value, 1);
    while width < LANES {
        // SAFETY: all threads of the warp reach this; those without a source get their own value.
        let before = unsafe { shuffle(u32::MAX, sum, width, 0) };
        if lane() >= width {
            sum = sum.wrapping_add(before);
        }
        width *= 2;
    }
    sum
}

/// Combines the values of all threads by a function that does not depend on the order. Every thread gets the result.
///
/// # Safety
///
/// All threads of the warp reach this call.
#[inline(always)]
pub(super) unsafe fn combined(value: u32, combine: impl Fn(u32, u32) -> u32) -> u32 {
    let (mut all, mut width) = (value, LANES / 2);
    while width > 0 {
        // SAFETY: all threads of the warp reach this, and the source is one of them.
        all = combine(all, unsafe { ikra_core::warp::shuffle_xor(u32::MAX, all, width) });
        width /= 2;
    }
    all
}

/// The threads whose digit of eight bits equals this thread's, one bit per thread.
///
/// # Safety
///
/// All threads of the warp reach this call.
#[inline(always)]
pub(super) unsafe fn equals(digit: u32) -> u32 {
    let mut all = u32::MAX;
    macro_rules! bits {
        ($($bit:literal)*) => { $({
            let is_set = digit & (1 << $bit) != 0;
            // SAFETY: all threads of the warp reach this.
            let set = unsafe { ballot(is_set) };
            all &= if is_set { set } else { !set };
        })* };
    }
    bits!(0 1 2 3 4 5 6 7);
    all
}
