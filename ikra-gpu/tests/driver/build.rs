//! Builds the made-up driver of `fake.rs`.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds it from `sources`, in a folder of its own within `folder`, and returns that: for `LD_LIBRARY_PATH`.
///
/// # Panics
///
/// If it cannot be built.
#[must_use]
pub fn driver(folder: &str, sources: &str, cfg: &[&str]) -> PathBuf {
    let folder = Path::new(folder).join(format!("driver{}", cfg.concat()));
    std::fs::create_dir_all(&folder).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut build = Command::new(rustc);
    build
        .args(["--edition=2024", "--crate-type=cdylib", "--crate-name=fake"])
        .args(cfg)
        .arg(Path::new(sources).join("fake.rs"));
    let built = build.arg("-o").arg(folder.join("libcuda.so.1")).output().unwrap();
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    folder
}
