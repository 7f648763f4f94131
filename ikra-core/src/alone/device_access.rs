//! How an atomic of a kernel is accessed: there are always other threads.

use crate::info::ClassInfo;
use crate::phase::Phase;
use crate::table::Table;

/// No bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access;

impl Access {
    #[inline(always)]
    pub(crate) fn of<P: Phase, C: ClassInfo>(_: &Table<C>) -> Self {
        Self
    }

    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        false
    }
}
