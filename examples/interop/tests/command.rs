//! The program as a user runs it.
#![cfg(all(feature = "cudarc", target_os = "linux"))]
#![allow(missing_docs, reason = "a test, not a library")]

use std::process::Command;

#[test]
fn a_kernel_of_another_library_changes_a_column() {
    if !ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE")) {
        return;
    }
    let mut program = Command::new(env!("CARGO_BIN_EXE_with-cudarc"));
    let output = ikra_test_gpu::choose(&mut program).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(said.matches("100001 balls, the last at ").count(), 2, "{said}");
    assert_eq!(said.matches(": as expected").count(), 2, "{said}");
}

#[test]
fn without_a_driver_it_says_so() {
    let mut program = Command::new(env!("CARGO_BIN_EXE_with-cudarc"));
    let output = program.env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "there is no NVIDIA driver: nothing to show\n");
}
