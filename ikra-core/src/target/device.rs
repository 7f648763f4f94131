//! The device's side.

pub(crate) mod approximate;
pub(crate) mod arithmetic;
pub(crate) mod panics;
mod remainder;
mod standard;
pub(crate) mod thread;
pub(crate) mod warp;

pub use standard::StdMethods;

/// The largest alignment of a value: what allocations start on.
pub(crate) const MAX_ALIGNMENT: usize = 256;

/// Implementations that only the host has.
#[doc(hidden)]
#[macro_export]
macro_rules! __host_only {
    ($($item:tt)*) => {};
}
pub use __host_only as host_only;
