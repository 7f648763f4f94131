//! What is said of a driver that is missing, old, or fails: with one that fails as it is told to.
#![cfg(target_os = "linux")]

#[path = "driver/build.rs"]
mod build;

use std::path::{Path, PathBuf};
use std::process::Command;

use ikra_gpu::driver::{Context, Memory, Module, driver_version};

/// The driver, and where it is.
fn driver(cfg: &[&str]) -> PathBuf {
    build::driver(
        concat!(env!("CARGO_TARGET_TMPDIR"), "/ikra-gpu"),
        concat!(env!("CARGO_MANIFEST_DIR"), "/tests/driver"),
        cfg,
    )
}

/// What [`child`] prints with the driver in this folder, and the driver with it.
fn said(folder: &Path, plan: &str) -> String {
    said_by("child", folder, plan)
}

/// What a test prints, and the driver with it.
fn said_by(test: &str, folder: &Path, plan: &str) -> String {
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", test, "--ignored", "--nocapture"]);
    let run = run.env("LD_LIBRARY_PATH", folder).env("IKRA_FAKE_DRIVER", plan).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success(), "{said}");
    said
}

#[test]
#[ignore = "run by the others, beside a driver made for it"]
fn child() {
    println!("version: {:?}", driver_version().map_err(|error| error.to_string()));
    let module = Context::open(0).and_then(|context| Module::load(&context, "nonsense"));
    println!("module: {}", module.err().map_or(String::from("loaded"), |error| error.to_string()));
}

#[test]
fn errors_of_the_driver_keep_their_function_and_their_words() {
    let folder = driver(&[]);
    let text = said(&folder, "");
    assert!(text.contains("version: Ok((13, 0))") && text.contains("module: loaded"), "{text}");

    // A result that no list here has, as a newer driver may return.
    let text = said(&folder, "cuInit:12345");
    assert!(text.contains("error 12345, for which the driver has no name"), "{text}");
    let text = said(&folder, "cuDriverGetVersion:12345");
    assert!(text.contains("`cuDriverGetVersion` failed: error 12345"), "{text}");

    let text = said(&folder, "cuModuleLoadDataEx:218");
    assert!(text.contains("CUDA_ERROR_INVALID_PTX (in words)"), "{text}");
    assert!(text.contains("line 7, unexpected 'nonsense'"), "the compiler's log: {text}");

    // A context that a kernel has broken is reset, and if that does not help, the program goes on with the host.
    let text = said(&folder, "cuDevicePrimaryCtxRetain:700");
    assert!(text.contains("called cuDevicePrimaryCtxReset_v2"), "{text}");
    assert!(text.contains("restart the program"), "{text}");
}

#[test]
fn an_old_driver_is_an_error_that_names_what_it_lacks() {
    let text = said(&driver(&["--cfg", "old"]), "");
    let wanted = "the NVIDIA driver for CUDA 11.2 has no `cuGraphInstantiateWithFlags`: install one for CUDA 11.4";
    assert_eq!(text.matches(wanted).count(), 2, "{text}");
}

#[test]
#[ignore = "run by the others, beside a driver made for it"]
fn long_memory() {
    let context = Context::open(0).unwrap();
    for len in [0, 1, 65_535, 65_536, 65_537, 1_000_000, 2_097_151, 2_097_152, 5_000_000] {
        // Another each time, so that it starts somewhere else.
        let kept: Vec<_> = (0..3).map(|_| Memory::new(&context, len, "a test").unwrap()).collect();
        for memory in kept {
            assert_eq!(memory.len(), len);
            println!("{len} bytes at {}", memory.address());
        }
    }
}

#[test]
fn long_memory_starts_on_multiples_of_64_kib() {
    // Addresses of the made-up driver are multiples of 16; it looks whether what is freed was allocated.
    let text = said_by("long_memory", &driver(&[]), "");
    let found: Vec<(u64, u64)> = text
        .lines()
        .filter_map(|line| line.split_once(" bytes at "))
        .map(|(len, address)| (len.parse().unwrap(), address.parse().unwrap()))
        .collect();
    assert_eq!(found.len(), 27, "{text}");
    for (len, address) in found {
        // From 2 MiB on the driver's own start on such places; those of the made-up one do not.
        assert!(!(65_536..2_097_152).contains(&len) || address % 65_536 == 0, "{len} bytes at {address}");
    }
}
