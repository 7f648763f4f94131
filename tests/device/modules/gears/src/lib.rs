//! Classes with device code of their own. Worlds of other packages hold their objects, and the model of `hands` links to
//! them: so they are also compiled for the device as its dependency.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![forbid(unsafe_code)]

pub mod model;

/// What was compiled for the device, if there was a compiler for it.
pub const DEVICE_CODE: ikra::DeviceCode = ikra::device_code!();
