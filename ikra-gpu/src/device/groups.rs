//! Groups of objects by key: keys of positions, and the start of each group.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use ikra_core::grid::Grid;
use ikra_core::thread;

/// Writes the cell of each position, or `u32::MAX` if it has none.
///
/// # Safety
///
/// There are `len` positions, and room for as many keys.
#[inline]
pub unsafe fn cells<const D: usize>(positions: *const [f32; D], len: u32, grid: Grid<D>, keys: *mut u32) {
    let n = thread::index_1d();
    if n < len {
        // SAFETY: within the positions.
        let cell = grid.cell(unsafe { positions.add(n as usize).read() });
        // SAFETY: within the keys; no other thread has this one.
        unsafe { keys.add(n as usize).write(cell.unwrap_or(u32::MAX)) };
    }
}

/// Finds the first key that is not below the number of groups; `first` stays as it is if there is none.
///
/// # Safety
///
/// There are `len` keys, and `first` is the address of a number that is at least `len`.
#[inline]
pub unsafe fn check(keys: *const u32, len: u32, groups: u32, first: *mut u32) {
    let n = thread::index_1d();
    // SAFETY: within the keys.
    if n < len && unsafe { keys.add(n as usize).read() } >= groups {
        // SAFETY: the address of a number, which all threads change atomically.
        unsafe { AtomicU32::from_ptr(first) }.fetch_min(n, Relaxed);
    }
}

/// Writes the position of the first key of each group, and the number of keys.
///
/// # Safety
///
/// There are `len` keys, in ascending order, and room for one number more than there are groups.
#[inline]
pub unsafe fn starts(keys: *const u32, len: u32, groups: u32, starts: *mut u32) {
    let group = thread::index_1d();
    if group > groups {
        return;
    }
    let (mut first, mut end) = (0, len);
    while first < end {
        let middle = first + (end - first) / 2;
        // SAFETY: within the keys.
        if unsafe { keys.add(middle as usize).read() } < group {
            first = middle + 1;
        } else {
            end = middle;
        }
    }
    // SAFETY: there is room for it; no other thread has this one.
    unsafe { starts.add(group as usize).write(first) };
}
