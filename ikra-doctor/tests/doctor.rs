//! What `ikra-doctor` prints.
#![allow(missing_docs, reason = "a test, not a library")]

use std::process::Command;

#[test]
fn it_says_what_is_there_and_what_to_do() {
    let output = Command::new(env!("CARGO_BIN_EXE_ikra-doctor")).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    for line in ["compiler for the device", "ptxas", "driver", "GPU"] {
        assert!(text.lines().any(|found| found.contains(line)), "{text}");
    }
    let has_gpu = ikra_gpu::driver::devices().is_ok_and(|devices| !devices.is_empty());
    let has_compiler = ikra_build::find_toolchain().is_ok();
    assert_eq!(output.status.success(), has_gpu && has_compiler, "{text}");
    assert_eq!(text.contains("all right"), has_gpu, "{text}");
    if !has_gpu {
        assert!(text.contains("install the driver") || text.contains("nvidia-smi"), "{text}");
    }
    assert!(text.lines().count() < 25, "one screen");
}

#[test]
fn without_a_compiler_it_names_the_commands() {
    let output = Command::new(env!("CARGO_BIN_EXE_ikra-doctor")).env("IKRA_RUSTC", "/nowhere/rustc").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success());
    assert!(text.contains("rustup target add nvptx64-nvidia-cuda"), "{text}");
}

#[test]
fn it_knows_the_emulator() {
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_ikra-doctor"));
    let output = ikra_test_gpu::emulate(&mut doctor, &[("DEVICES", "2")]).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("libikra_emulator") && text.contains(", which IKRA_DRIVER names"), "{text}");
    assert!(text.contains("0: Ikra emulator (in software), ") && text.contains("1: Ikra emulator"), "{text}");
    assert_eq!(text.matches("256 results, all right").count(), 2, "{text}");
}

#[test]
fn a_driver_that_is_not_there_is_named() {
    let mut doctor = Command::new(env!("CARGO_BIN_EXE_ikra-doctor"));
    let output = doctor.env("IKRA_DRIVER", "/nowhere/libcuda.so.1").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(!output.status.success());
    assert!(text.contains("IKRA_DRIVER=/nowhere/libcuda.so.1 cannot be opened as a driver"), "{text}");
}
