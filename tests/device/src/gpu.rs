//! Whether there is a GPU to test on.

/// Whether there is a GPU to run on; says so if there is none, and panics with `IKRA_REQUIRE_GPU=1`.
pub fn has_gpu() -> bool {
    let reason = match ikra::driver::devices() {
        Ok(devices) if !devices.is_empty() => return true,
        Ok(_) => "the driver shows no GPU".to_owned(),
        Err(error) => error.to_string(),
    };
    assert!(std::env::var_os("IKRA_REQUIRE_GPU").is_none(), "{reason}");
    println!("SKIPPED: {reason}");
    false
}
