//! Values of objects as bytes of messages.

use std::mem::MaybeUninit;
use std::ops::Range;

use ikra_runtime::mirror::Elements;

use crate::transport::Bytes;

/// The number of bytes of an object in these columns.
pub(crate) fn row(columns: &[Elements]) -> usize {
    columns.iter().map(|column| column.size).sum()
}

/// The parts of a column that lie in a row.
fn runs(column: &Elements, objects: Range<usize>) -> impl Iterator<Item = (*mut u8, usize)> + use<> {
    let column = *column;
    let mut next = objects.start;
    std::iter::from_fn(move || {
        let len = column.run(next).min(objects.end - next);
        let part = (column.address(next), len * column.size);
        next += len;
        (len > 0).then_some(part)
    })
}

/// Appends the values of consecutive objects.
///
/// # Safety
///
/// The objects exist where the columns are, and nothing writes them meanwhile.
pub(crate) unsafe fn pack_range(columns: &[Elements], objects: Range<usize>, message: &mut Bytes) {
    message.reserve(row(columns) * objects.len());
    for (start, len) in columns.iter().flat_map(|column| runs(column, objects.clone())) {
        // SAFETY: elements of objects that exist, which lie side by side; they may have padding.
        message.extend_from_slice(unsafe { std::slice::from_raw_parts(start.cast::<MaybeUninit<u8>>(), len) });
    }
}

/// Stores the values of consecutive objects, and returns the bytes after them.
///
/// # Safety
///
/// 1. The objects exist where the columns are, and nothing else accesses them.
/// 2. The bytes are those of [`pack_range`] for as many objects of the same class and columns.
///
/// # Panics
///
/// If there are not enough bytes.
pub(crate) unsafe fn unpack_range<'m>(
    columns: &[Elements],
    objects: Range<usize>,
    mut message: &'m [MaybeUninit<u8>],
) -> &'m [MaybeUninit<u8>] {
    for (start, len) in columns.iter().flat_map(|column| runs(column, objects.clone())) {
        let (bytes, rest) = message.split_at(len);
        message = rest;
        // SAFETY: elements of objects that exist, which lie side by side, and a message, which is memory of its own.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), start, len) };
    }
    message
}

/// Calls `copy` with a size: with a constant for the usual ones, so that copies are single moves.
#[inline(always)]
fn with_size(size: usize, copy: impl FnOnce(usize)) {
    match size {
        1 => copy(1),
        4 => copy(4),
        8 => copy(8),
        12 => copy(12),
        size => copy(size),
    }
}

/// Appends the values of some objects.
///
/// # Safety
///
/// As for [`pack_range`].
pub(crate) unsafe fn pack(columns: &[Elements], objects: &[u32], message: &mut Bytes) {
    for column in columns {
        let first = message.len();
        message.resize(first + objects.len() * column.size, MaybeUninit::uninit());
        let to = &mut message[first..];
        with_size(column.size, |size| {
            for (to, &index) in to.chunks_exact_mut(size.max(1)).zip(objects) {
                // SAFETY: an element of an object that exists, and a message, which is memory of its own.
                unsafe { std::ptr::copy_nonoverlapping(column.address(index as usize), to.as_mut_ptr().cast(), size) };
            }
        });
    }
}

/// Stores the values of some objects, and returns the bytes after them.
///
/// # Safety
///
/// As for [`unpack_range`], for [`pack`].
///
/// # Panics
///
/// If there are not enough bytes.
pub(crate) unsafe fn unpack<'m>(
    columns: &[Elements],
    objects: &[u32],
    mut message: &'m [MaybeUninit<u8>],
) -> &'m [MaybeUninit<u8>] {
    for column in columns {
        let (bytes, rest) = message.split_at(objects.len() * column.size);
        message = rest;
        with_size(column.size, |size| {
            for (bytes, &index) in bytes.chunks_exact(size.max(1)).zip(objects) {
                // SAFETY: an element of an object that exists, and a message, which is memory of its own.
                unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr().cast(), column.address(index as usize), size) };
            }
        });
    }
    message
}
