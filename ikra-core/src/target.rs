//! Code that differs between host and device, under one set of names.

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
pub(crate) mod inner_array;

#[cfg(target_arch = "nvptx64")]
pub use device::*;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::*;

/// The words of a device's argument for a worklist, on both sides.
pub(crate) const WORKLIST_WORDS: usize = 7;
