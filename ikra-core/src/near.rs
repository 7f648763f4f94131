//! What a ref knows of where its object is nearer than in its columns.

use core::fmt::Debug;

use crate::facts::Facts;

/// What a ref knows of its object's tile row, see [`tile_row`](crate::tile_row): `TileRow` in kernels for pairs, and
/// in all other phases [`NoRow`].
///
/// # Safety
///
/// [`read`](Self::read) returns what is in the row that [`at`](Self::at) was given, or nothing: refs read that instead of a column.
/// [`facts`](Self::facts) are those that [`knowing`](Self::knowing) was given, or none: refs do not ask for what they say.
pub unsafe trait Near: Copy + Debug + 'static {
    /// There is no row.
    const NONE: Self;

    /// There is no row, and this is known of the object.
    #[inline(always)]
    fn knowing(_: Facts) -> Self {
        Self::NONE
    }

    /// What is known of the object.
    #[inline(always)]
    fn facts(self) -> Facts {
        Facts::NONE
    }

    /// The row at this address; null if there is none.
    fn at(row: *const u8) -> Self;

    /// The value that is so many bytes after the row's beginning, if the row has it.
    ///
    /// # Safety
    ///
    /// If there are a row and an offset, a value of type `V` is there.
    unsafe fn read<V>(self, offset: Option<usize>) -> Option<V>;
}

// SAFETY: it reads nothing, and knows what it was told.
unsafe impl Near for Facts {
    const NONE: Self = Self::NONE;

    #[inline(always)]
    fn knowing(facts: Facts) -> Self {
        facts
    }

    #[inline(always)]
    fn facts(self) -> Facts {
        self
    }

    #[inline(always)]
    fn at(_: *const u8) -> Self {
        Self::NONE
    }

    #[inline(always)]
    unsafe fn read<V>(self, _: Option<usize>) -> Option<V> {
        None
    }
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
