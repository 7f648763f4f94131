//! The host's side.

pub mod ahead;
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
#[cfg(test)]
#[path = "device/remainder.rs"]
mod remainder;
pub(crate) mod row;
pub(crate) mod tail;
pub(crate) mod thread;
pub(crate) mod warp;
pub mod worklist;

pub(crate) use crate::spread::Spread;

/// Implementations that exist only on the host.
#[macro_export]
macro_rules! __host_only {
    ($($item:tt)*) => { const _: () = { $($item)* }; };
}
pub use __host_only as host_only;

/// Macros that only the host has, or for which the device has different ones.
pub(crate) mod standard_macros {
    pub use std::{dbg, eprint, eprintln, format, panic, print, println, thread_local, vec};
}

/// Crates of the standard library that only the host has.
pub(crate) mod standard_crates {
    pub use ::std;
}
