//! How an atomic of a kernel is accessed: by plain loads and stores, if one thread runs the kernel.

use super::pays;
use crate::info::ClassInfo;
use crate::phase::Phase;
use crate::table::Table;

/// Whether plain loads and stores will do, as the table says.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Access {
    is_alone: bool,
}

impl Access {
    /// That of atomics of a table's objects in phase `P`.
    #[inline(always)]
    pub(crate) fn of<P: Phase, C: ClassInfo>(table: &Table<C>) -> Self {
        Self { is_alone: const { pays::<P>() } && table.header.is_alone() }
    }

    /// Whether no other thread is there.
    #[inline(always)]
    pub(crate) fn is_alone(self) -> bool {
        self.is_alone
    }
}
