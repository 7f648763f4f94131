//! Classes of every layout with fields, kernels and arguments of every kind, for the tests of this
//! package: one binary a test, which can be copied to a machine with a GPU and run there.
#![forbid(unsafe_code)]

pub mod model;

/// The device code, if there was a compiler for it.
pub const DEVICE_CODE: Option<&str> = option_env!("IKRA_DEVICE_CODE");

/// Whether there is a GPU to run on; says so if there is none.
pub fn has_gpu() -> bool {
    match ikra::driver::devices() {
        Ok(devices) if !devices.is_empty() => true,
        Ok(_) => {
            println!("SKIPPED: the driver shows no GPU");
            false
        }
        Err(error) => {
            println!("SKIPPED: {error}");
            false
        }
    }
}
