//! Memory: allocations of the device, what was written, who accessed it last, and windows of generic addresses.

pub(crate) mod allocations;
pub(crate) mod cells;
pub(crate) mod place;
pub(crate) mod shadow;
pub(crate) mod stack;
pub(crate) mod window;
