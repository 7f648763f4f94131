//! Kernels for one object at a time.

use ikra_core::kernel::{Call, Construct};
use ikra_core::thread;

use super::call;

/// Does `work` for this thread's part of the positions `first..end`, in a grid-stride loop: every n-th position, n being
/// the number of threads.
#[inline(always)]
fn for_own(first: u32, end: u32, mut work: impl FnMut(u32)) {
    // The number of threads has 32 bits, and nothing below overflows: 64 bits would take registers.
    let index = thread::index_1d();
    if index >= end - first {
        return;
    }
    let step = thread::grid_dim_x() * thread::block_dim_x();
    let mut n = first + index;
    loop {
        work(n);
        if end - n <= step {
            return;
        }
        n += step;
    }
}

/// The object at a position: that of the list, if there is one.
///
/// # Safety
///
/// The list is null or longer than `n`.
#[inline(always)]
pub(super) unsafe fn object(list: *const u32, n: u32) -> u32 {
    // SAFETY: by the caller.
    if list.is_null() { n } else { unsafe { *list.add(n as usize) } }
}

/// Calls a kernel for the objects `first..end`, or for those whose indices are at these places of the
/// list.
///
/// # Safety
///
/// 1. The world's tables are filled, the objects exist, and none is in the list twice.
/// 2. No other kernel runs in the world.
#[inline(always)]
pub unsafe fn execute<K: Call<A>, A: Copy>(first: u32, end: u32, list: *const u32, args: A) {
    for_own(first, end, |n| {
        // SAFETY: passed on.
        unsafe {
            call::call::<K, A>(object(list, n), args);
        }
    });
}

/// Makes these objects by a constructor.
///
/// # Safety
///
/// 1. The world's tables are filled, and there is room for the objects.
/// 2. No other kernel runs in the world.
#[inline(always)]
pub unsafe fn construct<K: Construct<A>, A: Copy>(first: u32, end: u32, list: *const u32, args: A) {
    for_own(first, end, |n| {
        // SAFETY: passed on.
        unsafe { call::construct::<K, A>(object(list, n), args) }
    });
}
