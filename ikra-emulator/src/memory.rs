//! Memory: allocations of the device, initialised bytes, last accesses, and windows of generic addresses.

pub(crate) mod allocations;
pub(crate) mod cells;
pub(crate) mod place;
pub(crate) mod shadow;
pub(crate) mod stack;
pub(crate) mod window;
