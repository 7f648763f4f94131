//! Tables: what views and refs need to know of a class in one world.
//!
//! | on the host | on the device |
//! | --- | --- |
//! | a [`Table`] on the heap, pointed to by handles | words of constant memory, one group per class, and a [`DeviceHeader`] |
//! | a world has as many as classes; links find them by pointers between them | one world per module: the class says where |

use core::fmt;
#[cfg(not(target_arch = "nvptx64"))]
use core::ptr;

use crate::class::Class;
#[cfg(not(target_arch = "nvptx64"))]
pub use crate::directory::{Directory, Header, HostChanges, TargetSlot};
pub use crate::directory::{TableRef, Targets};
use crate::info::LayoutKind;
use crate::layout::geometry;

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::{DeviceBases, Table, table_words};
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Newer, Table};

/// What is said of a class's objects in the device's global memory, where kernels may change it for those that run after
/// them. A world has one array of these, in the order of its members.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeviceHeader {
    /// The number of objects.
    pub len: u32,
}

/// The start of a column, or of the whole storage.
#[derive(Clone, Copy)]
pub struct Base(pub *mut u8);

#[cfg(not(target_arch = "nvptx64"))]
impl Base {
    /// No storage yet.
    pub const NONE: Self = Self(ptr::null_mut());
}

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:p}", self.0)
    }
}

// SAFETY: only an address; what is behind it is accessed under the rules of `Table`.
unsafe impl Send for Base {}
// SAFETY: only an address; what is behind it is accessed under the rules of `Table`.
unsafe impl Sync for Base {}

/// Where the physical columns of a class start.
pub trait BaseSet: Copy + Send + Sync + 'static {
    /// The start of a column; for layouts of one allocation, column 0 stands for its start.
    fn get(&self, column: usize) -> Base;

    /// Without storage.
    #[cfg(not(target_arch = "nvptx64"))]
    const NONE: Self;

    /// The start of a column, to change.
    #[cfg(not(target_arch = "nvptx64"))]
    fn get_mut(&mut self, column: usize) -> &mut Base;

    /// The objects' columns.
    #[cfg(target_arch = "nvptx64")]
    fn columns() -> &'static Self;

    /// Where kernels with `snapshot` write.
    #[cfg(target_arch = "nvptx64")]
    fn shadow() -> &'static Self;
}

#[cfg(not(target_arch = "nvptx64"))]
impl<const N: usize> BaseSet for [Base; N] {
    #[inline(always)]
    fn get(&self, column: usize) -> Base {
        self[column]
    }
    const NONE: Self = [Base::NONE; N];
    #[inline(always)]
    fn get_mut(&mut self, column: usize) -> &mut Base {
        &mut self[column]
    }
}

/// The address of an element of a physical column of `C`.
///
/// # Safety
///
/// `bases` describe storage of `C` with room for more than `index` objects.
#[inline(always)]
pub unsafe fn address<C: Class>(bases: &C::Bases, column: usize, index: usize) -> *mut u8 {
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
    // SAFETY: the geometry places `index` within the allocation that the base starts.
    unsafe { base.0.add(offset) }
}
