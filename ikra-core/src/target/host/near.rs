//! Where an object may be nearer than in its columns: nowhere.

use crate::info::ClassInfo;
use crate::phase::Phase;

/// A tile row: there is none.
#[derive(Clone, Copy, Debug)]
pub struct Near(());

impl Near {
    pub(crate) const NONE: Self = Self(());

    /// # Safety
    ///
    /// None needed here: as on the device.
    #[allow(clippy::extra_unused_type_parameters, reason = "as on the device")]
    #[inline(always)]
    pub(crate) unsafe fn read<C: ClassInfo, P: Phase, const K: usize, V>(self) -> Option<V> {
        None
    }
}
