//! The facts that code knows about an object before it reads the object.

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::Facts;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::Facts;
