//! Classes of every layout with fields, kernels and arguments of every kind, for the tests of this package. Each test
//! is one binary, which can be copied to a machine with a GPU and run there.
#![forbid(unsafe_code)]

mod code;
mod emulated;
mod gpu;
#[cfg_attr(ikra_long, path = "all.rs")]
pub mod model;

pub use code::device_code;
pub use emulated::{emulated, with_variable};
pub use gpu::has_gpu;
pub use ikra_test_gpu::{is_emulated, is_short};

/// The device code, if a device compiler was available.
pub const DEVICE_CODE: Option<&str> = option_env!("IKRA_DEVICE_CODE");
