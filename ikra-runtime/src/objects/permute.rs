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

/// Calls a function for a column, compiled for elements of the usual sizes, so that copies are single moves, and for those
/// that lie side by side.
macro_rules! for_column {
    ($column:ident, $function:ident($($arguments:tt)*)) => {
        match ($column.size, $column.flat()) {
            (0, _) => {}
            (1, Some(start)) => $function(&Flat::<1>(start), $($arguments)*),
            (2, Some(start)) => $function(&Flat::<2>(start), $($arguments)*),
            (4, Some(start)) => $function(&Flat::<4>(start), $($arguments)*),
            (8, Some(start)) => $function(&Flat::<8>(start), $($arguments)*),
            (12, Some(start)) => $function(&Flat::<12>(start), $($arguments)*),
            (16, Some(start)) => $function(&Flat::<16>(start), $($arguments)*),
            _ => $function($column, $($arguments)*),
        }
    };
}

/// The addresses of a column's elements.
trait Addresses: Sync {
    fn at(&self, index: usize) -> *mut u8;
    fn size(&self) -> usize;
}

impl Addresses for Elements {
    fn at(&self, index: usize) -> *mut u8 {
        self.address(index)
    }
    fn size(&self) -> usize {
        self.size
    }
}

/// Elements of this size that lie side by side, from an address on.
struct Flat<const SIZE: usize>(*mut u8);

// SAFETY: a number for an address; whoever accesses memory there proves that it may.
unsafe impl<const SIZE: usize> Sync for Flat<SIZE> {}

impl<const SIZE: usize> Addresses for Flat<SIZE> {
    #[inline(always)]
    fn at(&self, index: usize) -> *mut u8 {
        self.0.wrapping_add(index * SIZE)
    }
    #[inline(always)]
    fn size(&self) -> usize {
        SIZE
    }
}

/// Reorders the elements of columns of `len` objects. `order` names objects that exist, none of them twice.
///
/// # Safety
///
/// The columns' storage has room for `len` objects, and nothing else accesses it.
pub(super) unsafe fn permute(columns: &[Elements], len: usize, order: &[u32]) {
    let mut scratch = Vec::new();
    for column in columns {
        // SAFETY: by the caller.
        unsafe { for_column!(column, permute_column(len, order, &mut scratch)) }
    }
}

/// As above, for one column.
///
/// # Safety
///
/// As above.
unsafe fn permute_column(column: &impl Addresses, len: usize, order: &[u32], scratch: &mut Vec<MaybeUninit<u8>>) {
    let size = column.size();
    let element = |index: usize| {
        assert!(index < len);
        column.at(index)
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
        // SAFETY: by the caller. One call changes the column.
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
/// As above.
unsafe fn close_up_column(column: &impl Addresses, kept: Kept<'_>) {
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
            unsafe { ptr::copy(column.at(index), column.at(next), column.size()) };
            next += (word >> (index % 64) & 1) as usize;
        }
    }
}
