//! The device's side.

pub(crate) mod ahead;
pub(crate) mod arithmetic;
pub(crate) mod assigned;
pub(crate) mod cells;
pub(crate) mod copies;
pub(crate) mod element;
pub mod expansion;
pub mod near;
pub(crate) mod panics;
mod remainder;
pub(crate) mod row;
mod standard;
pub(crate) mod tail;
pub(crate) mod thread;
pub(crate) mod warp;

pub use standard::StdMethods;

/// On the host, what calls a job with each run as a parameter of its own.
pub trait Spread {}
impl<T> Spread for T {}

/// Implementations that only the host has.
#[macro_export]
macro_rules! __host_only {
    ($($item:tt)*) => {};
}
pub use __host_only as host_only;

/// Macros that the host has others of.
pub(crate) mod standard_macros {
    pub use core::panic;
}

/// There are no crates that the host does not have.
pub(crate) mod standard_crates {}
