//! The copy of an object in faster memory than its columns: its tile row.

use core::ptr;

use crate::near::Near;
pub use crate::near::NoRow;

/// The tile row of an object, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct TileRow(*const u8);

// SAFETY: it returns the value in the row.
unsafe impl Near for TileRow {
    const NONE: Self = Self(ptr::null());

    #[inline(always)]
    fn at(row: *const u8) -> Self {
        Self(row)
    }

    #[inline(always)]
    unsafe fn read<V>(self, offset: Option<usize>) -> Option<V> {
        match offset {
            // SAFETY: the row has a value of this type at this offset, by the caller.
            Some(offset) if !self.0.is_null() => Some(unsafe { self.0.add(offset).cast::<V>().read() }),
            _ => None,
        }
    }
}
