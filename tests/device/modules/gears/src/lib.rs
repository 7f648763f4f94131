//! Classes with device code of their own. Worlds of other packages hold their objects. The model of `hands` links to
//! them, so its device code contains them as a dependency.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]
#![forbid(unsafe_code)]

pub mod model;

/// The compiled device code, if a device compiler was available.
pub const DEVICE_CODE: ikra::DeviceCode = ikra::device_code!();
