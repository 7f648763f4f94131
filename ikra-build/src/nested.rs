//! The cargo that compiles for the device.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use crate::krate::{Krate, hash};
use crate::toolchain::{Libraries, TARGET, Toolchain};
use crate::{Device, Floats, messages};

/// Variables of the outer build that must not reach the inner one.
const SCRUBBED: &[&str] = &[
    "CARGO_BUILD_RUSTC",
    "CARGO_BUILD_RUSTC_WRAPPER",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_MAKEFLAGS",
    "CARGO_TARGET_DIR",
    "LD_LIBRARY_PATH",
    "MAKEFLAGS",
    "RUSTC",
    "RUSTC_LINKER",
    "RUSTC_WORKSPACE_WRAPPER",
    "RUSTC_WRAPPER",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_TOOLCHAIN",
    "TARGET",
];

/// Compiles the crate, and returns its PTX.
pub(crate) fn compile(device: &Device, toolchain: &Toolchain, krate: &Krate, out: &Path) -> Result<String, String> {
    let flags = flags(device);
    // Builds with other flags or compilers have a folder of their own, so that neither undoes the other's.
    let key = hash(format!("{}{}", toolchain.version, flags.join("\x1f")).as_bytes());
    let target_dir = target_dir(out).join("ikra-device").join(format!("{key:016x}"));
    let run = |offline: bool| {
        let mut command = Command::new(&toolchain.cargo);
        for variable in SCRUBBED {
            command.env_remove(variable);
        }
        // A build script's own variables would make the inner build differ from run to run.
        for (name, _) in std::env::vars_os() {
            let text = name.to_string_lossy();
            if ["CARGO_CFG_", "CARGO_FEATURE_", "CARGO_PKG_", "CARGO_MANIFEST", "DEP_", "CARGO_PROFILE_"]
                .iter()
                .any(|prefix| text.starts_with(prefix))
            {
                command.env_remove(&name);
            }
        }
        command
            .env("RUSTC", &toolchain.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_ENCODED_RUSTFLAGS", flags.join("\x1f"))
            .env("CARGO_TARGET_DIR", &target_dir)
            .args(["build", "--release", "--quiet", "--target", TARGET, "--manifest-path"])
            .arg(&krate.manifest);
        if toolchain.libraries == Libraries::Sources {
            command.arg("-Zbuild-std=core");
        }
        if offline {
            command.arg("--offline");
        }
        command.output()
    };
    let mut output = run(true).map_err(|error| format!("cannot run {}: {error}", toolchain.cargo.display()))?;
    if !output.status.success() && messages::wants_network(&text(&output)) {
        output = run(false).map_err(|error| format!("cannot run {}: {error}", toolchain.cargo.display()))?;
    }
    if !output.status.success() {
        return Err(messages::explain(&text(&output)));
    }
    let deps = target_dir.join(TARGET).join("release/deps");
    depend(&deps, &target_dir);
    let path = newest(&deps, &krate.name).ok_or_else(|| format!("no PTX was written to {}", deps.display()))?;
    fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn flags(device: &Device) -> Vec<String> {
    let mut flags = vec![
        String::from("--emit=asm"),
        format!("-Ctarget-cpu={}", device.target),
        // It copies barriers into both arms of a divergent branch (rust-lang/rust#137086).
        String::from("-Zmir-enable-passes=-JumpThreading"),
    ];
    let llvm: &[&str] = match device.floats {
        Floats::Strict => &[],
        Floats::Contract => &["-nvptx-fma-level=1"],
        Floats::Fast => &["-nvptx-fma-level=2", "-nvptx-prec-divf32=0", "-nvptx-prec-sqrtf32=0"],
    };
    flags.extend(llvm.iter().map(|arg| format!("-Cllvm-args={arg}")));
    flags
}

/// Where the program is built: the folder above the build script's that cargo marked, or its own.
fn target_dir(out: &Path) -> PathBuf {
    out.ancestors().find(|at| at.join("CACHEDIR.TAG").is_file()).unwrap_or(out).to_owned()
}

/// Asks cargo to run the build script again when a source file of the device code changes.
fn depend(deps: &Path, target_dir: &Path) {
    let Ok(entries) = fs::read_dir(deps) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|extension| extension != "d") {
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else { continue };
        // `target: source source …`, and a line `source:` for each source.
        for source in text.lines().filter_map(|line| line.strip_suffix(':')) {
            let source = source.replace("\\ ", " ");
            let is_ours = !source.contains("/registry/src/") && !source.contains("/rustlib/src/");
            if is_ours && Path::new(&source).is_absolute() && !Path::new(&source).starts_with(target_dir) {
                println!("cargo::rerun-if-changed={source}");
            }
        }
    }
}

/// The newest PTX file of the crate.
fn newest(deps: &Path, name: &str) -> Option<PathBuf> {
    let prefix = format!("{name}-");
    fs::read_dir(deps)
        .ok()?
        .flatten()
        .filter(|entry| {
            let file = entry.file_name().to_string_lossy().into_owned();
            file.starts_with(&prefix) && file.ends_with(".s")
        })
        .max_by_key(|entry| entry.metadata().and_then(|data| data.modified()).ok())
        .map(|entry| entry.path())
}
