//! Kernels that make or remove objects run on the host.

use crate::class::Class;
use crate::link::Link;
use crate::table::TableRef;

/// Not on a device.
#[inline]
pub(crate) fn remove(_: TableRef<'_>, _: usize) -> bool {
    false
}

/// Not on a device.
#[inline]
pub(crate) fn spawn<C: Class>(_: TableRef<'_>, _: u32, _: C) -> Link<C> {
    panic!("a kernel that makes objects runs on the host\0")
}

/// Not on a device.
///
/// # Safety
///
/// No requirement here: it is as on the host.
#[inline]
pub(crate) unsafe fn set_at_end<C, T, const K: usize>(_: TableRef<'_>, _: usize, _: T) {
    panic!("a kernel that makes objects runs on the host\0")
}
