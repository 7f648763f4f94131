//! Where an object may be nearer than in its columns: in its tile row.

use core::ptr;

use crate::info::ClassInfo;
use crate::phase::Phase;
use crate::tile_row::offset;

/// The tile row of an object, if there is one.
#[derive(Clone, Copy, Debug)]
pub struct Near(*const u8);

impl Near {
    pub(crate) const NONE: Self = Self(ptr::null());

    /// The tile row at this address; null if there is none.
    #[inline(always)]
    pub const fn at(row: *const u8) -> Self {
        Self(row)
    }

    /// A field, if the row has it.
    ///
    /// # Safety
    ///
    /// The row, if there is one, is that of an object of class `C` for phase `P`, and values of field `K` are of type `V`.
    #[inline(always)]
    pub(crate) unsafe fn read<C: ClassInfo, P: Phase, const K: usize, V>(self) -> Option<V> {
        match const { offset::<C, P>(K) } {
            // SAFETY: the row holds the field there, by the caller.
            Some(offset) if !self.0.is_null() => Some(unsafe { self.0.add(offset).cast::<V>().read() }),
            _ => None,
        }
    }
}
