//! What is said of a driver that is missing, old, or fails: with one that fails as it is told to.
#![cfg(target_os = "linux")]

#[path = "driver/build.rs"]
mod build;

use std::path::{Path, PathBuf};
use std::process::Command;

use ikra_gpu::driver::{Context, Module, driver_version};

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
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", "child", "--ignored", "--nocapture"]);
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
