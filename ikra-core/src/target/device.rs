//! The device's side.

pub(crate) mod ahead;
pub(crate) mod arithmetic;
pub(crate) mod assigned;
pub(crate) mod cells;
pub(crate) mod copies;
pub(crate) mod element;
pub mod expansion;
pub mod groups;
pub mod mapped;
pub mod near;
pub(crate) mod panics;
mod remainder;
pub(crate) mod row;
mod standard;
pub(crate) mod tail;
pub(crate) mod thread;
pub(crate) mod warp;
pub mod worklist;

pub use standard::StdMethods;

/// On the host, a macro that calls a job with each run as a separate parameter.
pub trait Spread {}
impl<T> Spread for T {}

/// Implementations that exist only on the host.
#[macro_export]
macro_rules! __host_only {
    ($($item:tt)*) => {};
}
pub use __host_only as host_only;

/// Macros for which the host has different ones.
pub(crate) mod standard_macros {
    pub use core::panic;
}

/// No crates beyond the host's.
pub(crate) mod standard_crates {}
