//! The values that are lost when a kernel fails.

use std::fmt;

use crate::device_columns::DeviceColumns;
use crate::tables::Members;

/// A column that was current only on a device that failed; see [`accept_loss`](crate::Cuda::accept_loss).
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

/// Makes the host's values current for all columns that were current only on failed devices. Returns these columns,
/// since their values are lost.
pub(crate) fn accept(members: &mut Members<'_>) -> Vec<LostColumn> {
    let mut lost = Vec::new();
    for objects in members {
        let streams: Vec<u64> = objects.copies().streams().collect();
        for stream in streams {
            let has_failed = |columns: &mut DeviceColumns| columns.log.check().is_err();
            if DeviceColumns::known(&mut **objects, stream).is_some_and(has_failed) {
                // SAFETY: the caller gets the list of lost columns.
                let columns = unsafe { objects.lose(stream) };
                let (class, fields) = (objects.name(), objects.signature().fields);
                let is_lost = |&(field, _): &(usize, _)| columns.contains(field) && objects.count() > 0;
                let fields = fields.iter().enumerate().filter(is_lost);
                lost.extend(fields.map(|(_, field)| LostColumn { class, field: field.name }));
            }
        }
    }
    lost
}
