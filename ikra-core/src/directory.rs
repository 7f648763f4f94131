//! Where the tables of a world's classes are, whatever the classes, and where columns start.

use core::fmt;
#[cfg(not(target_arch = "nvptx64"))]
use core::ptr;

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::{TableRef, Targets};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::ABSENT;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Directory, Header, HostChanges, TableRef, TargetSlot, Targets};

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
