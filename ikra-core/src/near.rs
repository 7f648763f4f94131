//! What a ref knows of where its object is nearer than in its columns.

use core::fmt::Debug;

/// What a ref knows of its object's tile row, see [`tile_row`](crate::tile_row): `TileRow` in kernels for pairs, and
/// in all other phases [`NoRow`].
///
/// # Safety
///
/// [`read`](Self::read) returns what is in the row that [`at`](Self::at) was given, or nothing: refs read that instead of a column.
pub unsafe trait Near: Copy + Debug + 'static {
    /// There is no row.
    const NONE: Self;

    /// The row at this address; null if there is none.
    fn at(row: *const u8) -> Self;

    /// The value that is so many bytes after the row's beginning, if the row has it.
    ///
    /// # Safety
    ///
    /// If there are a row and an offset, a value of type `V` is there.
    unsafe fn read<V>(self, offset: Option<usize>) -> Option<V>;
}

/// There is no tile row, whatever the object: no bytes.
#[derive(Clone, Copy, Debug)]
pub struct NoRow;

// SAFETY: it returns nothing.
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
