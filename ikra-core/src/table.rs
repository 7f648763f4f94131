//! Tables: the data about a class in one world that views and refs need.
//!
//! | on the host | on the device |
//! | --- | --- |
//! | a [`Table`] on the heap, pointed to by handles | words of constant memory, one group per class, and a [`DeviceHeader`] |
//! | a world has one table per class, found by pointers between tables | one world per module: a class knows its table |

#[cfg(not(target_arch = "nvptx64"))]
pub use crate::directory::{AtHand, Batches, Directory, Header, HostChanges, Late, Nursery, TargetSlot};
pub use crate::directory::{Base, BaseSet, TableRef, Targets};
use crate::info::{ClassInfo, LayoutKind};
use crate::layout::geometry;

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::{DeviceBases, Table, lives, table_words};
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Newer, Table};

/// The data about a class's objects in the device's global memory, where kernels may change it for later kernels. A
/// world has one array of these, in the order of its members.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceHeader {
    /// The number of objects.
    pub len: u32,
}

/// The address of an element of a physical column of `C`.
///
/// # Safety
///
/// `bases` describe storage of `C` with room for more than `index` objects.
#[inline(always)]
pub unsafe fn address<C: ClassInfo>(bases: &C::Bases, column: usize, index: usize) -> *mut u8 {
    let geometry = geometry::<C>();
    let (base, offset) = match (C::LAYOUT, C::CAPACITY) {
        (LayoutKind::Soa, None) => (bases.get(column), index * geometry.sizes[column]),
        (LayoutKind::Soa, Some(_)) => (bases.get(0), geometry.offsets[column] + index * geometry.sizes[column]),
        (LayoutKind::Aos, _) => (bases.get(0), geometry.offsets[column] + index * geometry.block),
        (LayoutKind::Tiles(tile), _) => (
            bases.get(0),
            index / tile * geometry.block + geometry.offsets[column] + index % tile * geometry.sizes[column],
        ),
    };
    // SAFETY: the geometry puts `index` within the allocation that starts at the base.
    unsafe { base.0.add(offset) }
}
