//! The small crate around the model.

use std::path::{Path, PathBuf};

use crate::{Device, write_if_changed};

/// The crate's files.
pub(crate) struct Krate {
    pub(crate) manifest: PathBuf,
    /// Its name, which no other has in the target directory.
    pub(crate) name: String,
}

/// Writes the crate into `folder`.
pub(crate) fn write(device: &Device, model: &Path, ikra: &Path, folder: &Path, package: &Path) -> Krate {
    let name = format!("ikra_device_{:016x}", hash(model.as_os_str().as_encoded_bytes()));
    let debug = if device.lines { "\"line-directives-only\"" } else { "false" };
    let dependencies: String = device.dependencies.iter().map(|(name, entry)| format!("{name} = {entry}\n")).collect();
    let manifest = format!(
        r#"# Made by ikra-build.
[package]
name = "{name}"
version = "0.0.0"
edition = "2024"

[lib]
crate-type = ["staticlib"]
path = "lib.rs"

[dependencies]
ikra = {{ path = {ikra:?}, default-features = false }}
{dependencies}
[profile.release]
opt-level = 3
lto = "fat"
codegen-units = 1
panic = "abort"
debug = {debug}

[workspace]
"#
    );
    let root = format!(
        r"// Made by ikra-build.
#![no_std]
#![feature(abi_ptx, asm_experimental_arch)]
// Warnings about the model come from the host's compilation. (The compiler's flags cannot silence them: cargo reads
// some of its warnings.)
#![allow(warnings)]

ikra::device_root!();

#[path = {model:?}]
mod model;
"
    );
    write_if_changed(&folder.join("Cargo.toml"), &manifest);
    write_if_changed(&folder.join("lib.rs"), &root);
    // The same versions as in the program, where it says them.
    let lock = folder.join("Cargo.lock");
    if !lock.is_file()
        && let Some(text) = package.ancestors().find_map(|at| std::fs::read_to_string(at.join("Cargo.lock")).ok())
    {
        write_if_changed(&lock, &text);
    }
    Krate { manifest: folder.join("Cargo.toml"), name }
}

/// FNV-1a.
pub(crate) fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}
