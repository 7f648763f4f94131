//! A class that links to one of another package. Its device code has the kernels of both.
#![forbid(unsafe_code)]

pub mod model;

/// What was compiled for the device, if there was a compiler for it.
pub const DEVICE_CODE: ikra::DeviceCode = ikra::device_code!();
