//! Kernels for one object at a time.

use ikra_core::kernel::{Call, Construct, SectionWords};
use ikra_core::thread;

use super::call;

/// This thread's of the positions `first..end`, if it has one.
///
/// There is a thread for each, and no loop over several: the assembler brings threads that part in a loop back together
/// where the loop ends, but not in a loop around it that a panic leaves too.
#[inline(always)]
fn own(first: u32, end: u32) -> Option<u32> {
    // The threads of the last block may have numbers of more than 32 bits.
    let n = u64::from(thread::block_idx_x()) * u64::from(thread::block_dim_x()) + u64::from(thread::thread_idx_x());
    (n < u64::from(end - first)).then(|| first + n as u32)
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
    if let Some(n) = own(first, end) {
        // SAFETY: passed on.
        unsafe {
            call::call::<K, A>(object(list, n), args);
        }
    }
}

/// Whether this block comes after those of a class.
#[inline(always)]
pub fn is_after(&[blocks_end, ..]: &SectionWords) -> bool {
    thread::block_idx_x() >= blocks_end
}

/// The first block of the class with a number.
#[inline(always)]
pub fn first_block(sections: &[SectionWords], tag: usize) -> u32 {
    if tag == 0 { 0 } else { sections[tag - 1][0] }
}

/// Calls a kernel for the objects of a section, whose blocks are those from `from` on.
///
/// # Safety
///
/// As for [`execute`].
#[inline(always)]
pub unsafe fn execute_section<K: Call<A>, A: Copy>(from: u32, section: &SectionWords, list: *const u32, args: A) {
    let &[_, first, end, is_listed] = section;
    let list = if is_listed == 0 { core::ptr::null() } else { list };
    let block = u64::from(thread::block_idx_x() - from);
    let n = block * u64::from(thread::block_dim_x()) + u64::from(thread::thread_idx_x());
    if n < u64::from(end - first) {
        // SAFETY: passed on.
        unsafe {
            call::call::<K, A>(object(list, first + n as u32), args);
        }
    }
}

/// Makes these objects by a constructor. Writes 1 to `found` if one has a link to no object, or to one that is made later.
///
/// # Safety
///
/// 1. The world's tables are filled, and there is room for the objects.
/// 2. No other kernel runs in the world.
/// 3. `found` is the place of a `u32`.
#[inline(always)]
pub unsafe fn construct<K: Construct<A>, A: Copy>(first: u32, end: u32, found: *const u32, args: A) {
    if let Some(n) = own(first, end) {
        // SAFETY: the contract is the same.
        if unsafe { call::construct::<K, A>(n, args) } {
            // SAFETY: by 3; all threads write the same.
            unsafe { found.cast_mut().write_volatile(1) };
        }
    }
}
