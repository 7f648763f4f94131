//! What sequential code knows of an object before it looks: there is none on the device.

use crate::info::ClassInfo;
use crate::table::Table;

/// No bytes.
#[derive(Clone, Copy, Debug)]
pub struct Facts;

impl Facts {
    pub(crate) const NONE: Self = Self;

    #[inline(always)]
    pub fn of<C: ClassInfo>(_: &Table<C>) -> Self {
        Self
    }

    /// # Safety
    ///
    /// None needed here: as on the host.
    #[inline(always)]
    pub(crate) unsafe fn of_linked<C: ClassInfo>(_: &Table<C>) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn of_linked_object(self) -> Self {
        self
    }

    #[inline(always)]
    pub(crate) fn of_existing(self) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn exists(self) -> bool {
        true
    }

    #[inline(always)]
    pub fn is_last(self) -> bool {
        true
    }

    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        true
    }
}
