//! Moves of the elements of columns, whatever their classes.

use std::mem::MaybeUninit;
use std::ptr;

use rayon::prelude::*;

use crate::mirror::Elements;
use ikra_core::kept::Kept;

/// From this number of objects on, several threads move them.
const MANY: usize = 4096;

/// The objects that a thread moves at once.
const PART: usize = 4096;

/// Calls a function for a column: one that is compiled for the usual sizes of elements that lie side by side, so that copies
/// are single moves.
macro_rules! for_column {
    ($column:ident, $function:ident($($arguments:tt)*)) => {
        match if $column.is_flat() { $column.size } else { 0 } {
            1 => $function::<1>($column, $($arguments)*),
            2 => $function::<2>($column, $($arguments)*),
            4 => $function::<4>($column, $($arguments)*),
            8 => $function::<8>($column, $($arguments)*),
            12 => $function::<12>($column, $($arguments)*),
            16 => $function::<16>($column, $($arguments)*),
            _ => $function::<0>($column, $($arguments)*),
        }
    };
}

/// The size and the addresses of a column's elements: of elements of this size that lie side by side, or of any if it is 0.
#[inline(always)]
fn elements<const SIZE: usize>(column: &Elements) -> (usize, impl Fn(usize) -> *mut u8 + Sync) {
    let address = |index| if SIZE == 0 { column.address(index) } else { column.flat_address(index, SIZE) };
    (if SIZE == 0 { column.size } else { SIZE }, address)
}

/// Reorders the elements of columns of `len` objects. `order` names objects that exist, none of them twice.
///
/// # Safety
///
/// The columns' storage has room for `len` objects, and nothing else accesses it.
pub(super) unsafe fn permute(columns: &[Elements], len: usize, order: &[u32]) {
    let mut scratch = Vec::new();
    for column in columns.iter().filter(|column| column.size > 0) {
        // SAFETY: by the caller; the size is that of the elements.
        unsafe { for_column!(column, permute_column(len, order, &mut scratch)) }
    }
}

/// As above, for one column.
///
/// # Safety
///
/// As above, and `SIZE` is that of the elements, which lie side by side, or 0.
unsafe fn permute_column<const SIZE: usize>(
    column: &Elements,
    len: usize,
    order: &[u32],
    scratch: &mut Vec<MaybeUninit<u8>>,
) {
    let (size, address) = elements::<SIZE>(column);
    let element = |index: usize| {
        assert!(index < len);
        address(index)
    };
    scratch.resize(order.len() * size, MaybeUninit::uninit());
    let gather = |(to, olds): (&mut [MaybeUninit<u8>], &[u32])| {
        for (to, &old) in to.chunks_exact_mut(size).zip(olds) {
            // SAFETY: the source is an element of the column, and the target has its size, in another allocation.
            unsafe { ptr::copy_nonoverlapping(element(old as usize).cast(), to.as_mut_ptr(), size) };
        }
    };
    let put_back = |(n, from): (usize, &[MaybeUninit<u8>])| {
        for (new, from) in (n * PART..).zip(from.chunks_exact(size)) {
            // SAFETY: the target is an element of the column. No other call has it, since parts are disjoint, and by the
            // caller there are no other accesses. The source is in another allocation.
            unsafe { ptr::copy_nonoverlapping(from.as_ptr(), element(new).cast(), size) };
        }
    };
    if order.len() < MANY {
        gather((scratch, order));
        scratch.chunks(PART * size).enumerate().for_each(put_back);
        return;
    }
    scratch.par_chunks_mut(PART * size).zip(order.par_chunks(PART)).for_each(gather);
    scratch.par_chunks(PART * size).enumerate().for_each(put_back);
}

/// Moves the elements of kept objects in columns to the starts of the columns, in their order. If `are_apart`, the columns
/// share no cache lines.
///
/// # Safety
///
/// The columns' storage has room for `kept.slots` objects, and nothing else accesses it.
pub(super) unsafe fn close_up(columns: &[Elements], are_apart: bool, kept: Kept<'_>) {
    let close_up = |column: &Elements| {
        // SAFETY: by the caller; the size is that of the elements. One call changes the column.
        unsafe { for_column!(column, close_up_column(kept)) }
    };
    if kept.slots >= MANY && are_apart {
        columns.par_iter().with_max_len(1).for_each(close_up);
    } else {
        columns.iter().for_each(close_up);
    }
}

/// As above, for one column.
///
/// # Safety
///
/// As above, and `SIZE` is that of the elements, which lie side by side, or 0.
unsafe fn close_up_column<const SIZE: usize>(column: &Elements, kept: Kept<'_>) {
    let (size, element) = elements::<SIZE>(column);
    let mut next = 0;
    for (n, &word) in kept.words.iter().enumerate() {
        let first = n * 64;
        let end = (first + 64).min(kept.slots);
        if next == first && word == u64::MAX {
            next = end;
            continue;
        }
        // Without branches: each element is moved, and stays there if its object is kept.
        for index in first..end {
            // SAFETY: two elements of the column, of `size` bytes, by the caller: not more objects are kept than there are
            // before.
            unsafe { ptr::copy(element(index), element(next), size) };
            next += (word >> (index % 64) & 1) as usize;
        }
    }
}
