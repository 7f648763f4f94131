//! Whether there is a GPU to test on.

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
