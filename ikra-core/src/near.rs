//! The copy of an object in faster memory than its columns, if a ref knows one.

use core::fmt::Debug;

/// A ref's knowledge of its object's tile row, see [`tile_row`](crate::tile_row): `TileRow` in kernels for pairs, and
/// [`NoRow`] in all other phases.
///
/// # Safety
///
/// [`read`](Self::read) returns a value from the row that [`at`](Self::at) got, or `None`. Refs read that value instead
/// of a column.
pub unsafe trait Near: Copy + Debug + 'static {
    /// No row.
    const NONE: Self;

    /// The row at this address, which is null if there is no row.
    fn at(row: *const u8) -> Self;

    /// The value at this offset in the row, if the row has it.
    ///
    /// # Safety
    ///
    /// If there is a row and an offset, a value of type `V` is there.
    unsafe fn read<V>(self, offset: Option<usize>) -> Option<V>;
}

/// No tile row, for any object: a type of size 0.
#[derive(Clone, Copy, Debug)]
pub struct NoRow;

// SAFETY: it returns `None`.
unsafe impl Near for NoRow {
    const NONE: Self = Self;

    #[inline(always)]
    fn at(_: *const u8) -> Self {
        Self
    }

    #[inline(always)]
    unsafe fn read<V>(self, _: Option<usize>) -> Option<V> {
        None
    }
}
