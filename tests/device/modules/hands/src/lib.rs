//! A class that links to a class of another package. Its device code contains the kernels of both.
#![forbid(unsafe_code)]

pub mod model;

/// The compiled device code, if a device compiler was available.
pub const DEVICE_CODE: ikra::DeviceCode = ikra::device_code!();
