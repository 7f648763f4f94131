//! Values of objects as bytes of messages.

use std::mem::MaybeUninit;
use std::ops::Range;

use ikra_runtime::mirror::Elements;

use crate::transport::Bytes;

/// The numbers of `N` bytes in a message, as bytes.
pub(crate) fn numbers<const N: usize>(message: &[MaybeUninit<u8>]) -> impl Iterator<Item = [u8; N]> {
    message.as_chunks().0.iter().map(|bytes: &[MaybeUninit<u8>; N]| {
        // SAFETY: numbers have no padding, and a message arrives as it was sent, by the contract of `Transport`.
        bytes.map(|byte| unsafe { byte.assume_init() })
    })
}

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

/// The objects of a list as ranges of those that follow each other.
fn ranges(objects: &[u32]) -> impl Iterator<Item = Range<usize>> {
    objects.chunk_by(|a, b| b.wrapping_sub(*a) == 1).map(|run| run[0] as usize..run[0] as usize + run.len())
}

/// Appends the values of some objects.
///
/// # Safety
///
/// As for [`pack_range`].
pub(crate) unsafe fn pack(columns: &[Elements], objects: &[u32], message: &mut Bytes) {
    message.reserve(row(columns) * objects.len());
    for column in columns {
        for range in ranges(objects) {
            // SAFETY: by the caller.
            unsafe { pack_range(std::slice::from_ref(column), range, message) };
        }
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
        for range in ranges(objects) {
            // SAFETY: by the caller.
            message = unsafe { unpack_range(std::slice::from_ref(column), range, message) };
        }
    }
    message
}
