//! Checks device code with the assembler.

use std::path::Path;

use ikra_build::{ptx, ptxas};

fn is_required() -> bool {
    std::env::var_os("IKRA_REQUIRE_DEVICE_CODE").is_some()
}

/// Whether to run all tests, including slow ones: `IKRA_LONG=1`.
#[must_use]
pub fn is_long() -> bool {
    std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty())
}

/// The architectures for which device code is assembled: one, or several with `IKRA_LONG=1`.
#[must_use]
pub fn architectures() -> &'static [&'static str] {
    if is_long() { &["sm_75", "sm_80", "sm_90", "sm_100"] } else { &["sm_90"] }
}

/// Whether an assembler is available. Prints a message if a test is skipped without it.
///
/// # Panics
///
/// If there is no assembler and `IKRA_REQUIRE_DEVICE_CODE` is set.
#[must_use]
pub fn has_assembler() -> bool {
    let found = ptxas::find().is_some();
    if !found {
        assert!(!is_required(), "there is no ptxas");
        println!("SKIPPED: there is no ptxas");
    }
    found
}

/// Checks that device code has these kernels and is assembled without spills. Each kernel is given by the prefix that
/// follows `ikra_kernel_`.
///
/// # Panics
///
/// If a check fails, or if there is no device code and `IKRA_REQUIRE_DEVICE_CODE` is set.
pub fn check(device_code: Option<&str>, kernels: &[&str]) {
    let Some(path) = device_code.map(Path::new) else {
        assert!(!is_required(), "there is no compiler for the device");
        println!("SKIPPED: there is no compiler for the device");
        return;
    };
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let found = ptx::kernels(&text);
    for wanted in kernels {
        let start = format!("ikra_kernel_{wanted}_");
        assert!(found.iter().any(|kernel| kernel.name.starts_with(&start)), "there is no kernel {wanted}");
    }
    if !has_assembler() {
        return;
    }
    let ptxas = ptxas::find().expect("it is there");
    for architecture in architectures() {
        for usage in ptxas::assemble(&ptxas, path, architecture).unwrap_or_else(|error| panic!("{error}")) {
            assert_eq!(usage.spill_bytes, 0, "{usage:?} on {architecture}");
        }
    }
}
