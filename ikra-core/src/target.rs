//! What differs between host and device, under the same names on both sides.

#[cfg(target_arch = "nvptx64")]
mod device;
#[cfg(not(target_arch = "nvptx64"))]
mod host;

#[cfg(target_arch = "nvptx64")]
pub use device::*;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::*;

/// An atomic integer: loads and stores in any order.
pub(crate) trait RelaxedCell {
    /// The integer.
    type Integer;
    /// Its value.
    fn get(&self) -> Self::Integer;
    /// Replaces it.
    fn put(&self, value: Self::Integer);
}
