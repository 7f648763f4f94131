//! The addresses of the tables of a world's classes, independent of the classes, and of the columns.

use core::fmt;
#[cfg(not(target_arch = "nvptx64"))]
use core::ptr;

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod nursery;
#[cfg(not(target_arch = "nvptx64"))]
mod per_thread;

#[cfg(target_arch = "nvptx64")]
pub use device::{TableRef, Targets};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::ABSENT;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{AtHand, Directory, Header, HostChanges, TableRef, TargetSlot, Targets};
#[cfg(not(target_arch = "nvptx64"))]
pub use nursery::{Batches, Late, Nursery};

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

// SAFETY: it holds only an address; the memory behind it is accessed under the rules of `Table`.
unsafe impl Send for Base {}
// SAFETY: it holds only an address; the memory behind it is accessed under the rules of `Table`.
unsafe impl Sync for Base {}

/// The start addresses of a class's physical columns.
pub trait BaseSet: Copy + Send + Sync + 'static {
    /// The start of a column; for layouts of one allocation, column 0 stands for its start.
    fn get(&self, column: usize) -> Base;

    /// Without storage.
    #[cfg(not(target_arch = "nvptx64"))]
    const NONE: Self;

    /// The starts of all columns.
    #[cfg(not(target_arch = "nvptx64"))]
    fn all(&self) -> &[Base];

    /// The starts of all columns, for changes.
    #[cfg(not(target_arch = "nvptx64"))]
    fn all_mut(&mut self) -> &mut [Base];

    /// The objects' columns.
    #[cfg(target_arch = "nvptx64")]
    fn columns() -> &'static Self;

    /// The columns to which kernels with `snapshot` write.
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
    fn all(&self) -> &[Base] {
        self
    }
    fn all_mut(&mut self) -> &mut [Base] {
        self
    }
}
