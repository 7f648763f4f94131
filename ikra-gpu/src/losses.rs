//! What is lost when a kernel fails.

use std::fmt;

use crate::device_columns::DeviceColumns;
use crate::tables::Members;

/// A column whose last values were on a device that failed; see
/// [`cuda_accept_loss`](crate::CudaWorld::cuda_accept_loss).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LostColumn {
    /// The class.
    pub class: &'static str,
    /// The field.
    pub field: &'static str,
}

impl fmt::Display for LostColumn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}::{}", self.class, self.field)
    }
}

/// Makes the host's values the last ones of all columns that were on a device that failed, and returns those that are
/// lost.
pub(crate) fn accept(members: &mut Members<'_>) -> Vec<LostColumn> {
    let mut lost = Vec::new();
    for objects in members {
        if DeviceColumns::known(&mut **objects).is_some_and(|columns| columns.log.check().is_err()) {
            let (class, newer) = (objects.name(), objects.newer_on_device());
            let fields = objects.signature().fields.iter().enumerate();
            lost.extend(
                fields
                    .filter(|&(field, _)| newer.contains(field) && objects.count() > 0)
                    .map(|(_, field)| LostColumn { class, field: field.name }),
            );
            // SAFETY: the caller is given the list of what is lost.
            unsafe { objects.lose_device() };
        }
    }
    lost
}
