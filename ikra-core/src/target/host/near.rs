//! Where an object may be nearer than in its columns: nowhere.

use crate::class::{Class, Field};
use crate::phase::Phase;
use crate::storage::Stored;

/// A tile row: there is none.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct Near(());

impl Near {
    pub(crate) const NONE: Self = Self(());

    /// # Safety
    ///
    /// None needed here: as on the device.
    #[allow(clippy::extra_unused_type_parameters, reason = "as on the device")]
    #[inline(always)]
    pub(crate) unsafe fn read<C: Class + Field<K>, P: Phase, const K: usize>(
        self,
    ) -> Option<<C::Storage as Stored>::Value> {
        None
    }
}
