//! What code knows of an object before it looks.

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::Facts;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::Facts;
