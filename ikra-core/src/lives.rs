//! What kernels do to make and remove objects.

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub(crate) use device::{remove, set_at_end, spawn};
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::{remove, set_at_end, spawn};
