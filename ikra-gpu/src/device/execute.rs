//! Kernels for one object at a time.

use ikra_core::kernel::{Call, Construct, SectionWords};
use ikra_core::thread;

use super::call;

/// This thread's position in `first..end`, if it has one. The blocks of the grid share these positions.
///
/// Each position has its own thread, without a loop over several. The assembler reconverges threads at the end of the
/// loop in which they diverged. It does not if that loop is inside another loop, which a panic leaves too.
#[inline(always)]
pub(super) fn own(block: u32, first: u32, end: u32) -> Option<u32> {
    // The grid has only the blocks that the positions need. So each block starts at a position, which fits into 32
    // bits; only the last threads may exceed `end`.
    let start = block * thread::block_dim_x();
    let own = thread::thread_idx_x();
    (own < (end - first).saturating_sub(start)).then(|| first + start + own)
}

/// The object at a position: the list's entry, if there is a list.
///
/// # Safety
///
/// The list is null or longer than `n`.
#[inline(always)]
pub(super) unsafe fn object(list: *const u32, n: u32) -> u32 {
    // SAFETY: a list that is not null is longer than `n`.
    if list.is_null() { n } else { unsafe { *list.add(n as usize) } }
}

/// As [`object`], for a thread that calls it once.
///
/// # Safety
///
/// As for [`object`].
#[inline(always)]
pub(super) unsafe fn only_object(list: *const u32, n: u32) -> u32 {
    let mut object = n;
    // One asm block, so that all addresses derive from one 32-bit number. Either all threads jump, or no thread does.
    // SAFETY: by the caller; the list is in global memory, and nothing writes it.
    #[allow(named_asm_labels, reason = "within the braces: each copy has its own")]
    unsafe {
        core::arch::asm!(
            "{{ .reg .pred p; .reg .b64 a; setp.eq.b64 p, {1}, 0; @p bra.uni no_list; cvta.to.global.u64 a, {1}; \
             mad.wide.u32 a, {0}, 4, a; ld.global.b32 {0}, [a]; no_list: }}",
            inout(reg32) object,
            in(reg64) list,
            options(pure, readonly, nostack, preserves_flags)
        );
    }
    object
}

/// Calls a kernel for the objects `first..end`, or for the objects at these positions of the list.
///
/// # Safety
///
/// 1. The world's tables are filled, the objects exist, and no object is in the list twice.
/// 2. No other kernel runs in the world.
#[inline(always)]
pub unsafe fn execute<K: Call<A>, A: Copy>(first: u32, end: u32, list: *const u32, args: A) {
    if let Some(n) = own(thread::block_idx_x(), first, end) {
        // SAFETY: passed on.
        unsafe {
            call::call::<K, A>(only_object(list, n), args);
        }
    }
}

/// Whether this block comes after the blocks of a class.
#[inline(always)]
pub fn is_after(&[blocks_end, ..]: &SectionWords) -> bool {
    thread::block_idx_x() >= blocks_end
}

/// The first block of the class with this number.
#[inline(always)]
pub fn first_block(sections: &[SectionWords], tag: usize) -> u32 {
    if tag == 0 { 0 } else { sections[tag - 1][0] }
}

/// Calls a kernel for the objects of a section, whose blocks start at block `from`.
///
/// # Safety
///
/// As for [`execute`].
#[inline(always)]
pub unsafe fn execute_section<K: Call<A>, A: Copy>(from: u32, section: &SectionWords, list: *const u32, args: A) {
    let &[_, first, end, is_listed] = section;
    let list = if is_listed == 0 { core::ptr::null() } else { list };
    if let Some(n) = own(thread::block_idx_x() - from, first, end) {
        // SAFETY: passed on.
        unsafe {
            call::call::<K, A>(only_object(list, n), args);
        }
    }
}

/// Constructs these objects. Writes 1 to `found` if an object has a link to no object, or to one that is constructed
/// later.
///
/// # Safety
///
/// 1. The world's tables are filled, and the columns have room for the objects.
/// 2. No other kernel runs in the world.
/// 3. `found` is the address of a `u32`.
#[inline(always)]
pub unsafe fn construct<K: Construct<A>, A: Copy>(first: u32, end: u32, found: *const u32, args: A) {
    if let Some(n) = own(thread::block_idx_x(), first, end) {
        // SAFETY: the contract is the same.
        if unsafe { call::construct::<K, A>(n, args) } {
            // SAFETY: by 3; all threads write the same value.
            unsafe { found.cast_mut().write_volatile(1) };
        }
    }
}
