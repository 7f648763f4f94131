//! Checks that can be run as separate tasks.

use std::fs;
use std::path::{self, PathBuf};

use crate::counts::counts;
use crate::run::{Outcome, cargo, program, step};

/// The published crates, in the order of their publication.
const PUBLISHED: &str = concat!(
    "-p ikra-marks -p ikra-core -p ikra-strategies -p ikra-runtime -p ikra-cluster -p ikra-report -p ikra-gpu -p ikra-macros ",
    "-p ikra-tables -p ikra-trace -p ikra-ptx -p ikra-build -p ikra-doctor -p ikra"
);

/// Budgets, formatting, lints, and documentation without warnings.
pub fn lint() -> Outcome {
    counts()?;
    step(&mut cargo("fmt --all --check"))?;
    step(&mut cargo("clippy --workspace --all-targets -- -D warnings"))?;
    let cust = "clippy -p ikra-gpu -p interop --features cust -- -D warnings";
    step(cargo(cust).env("CUDA_LIBRARY_PATH", no_toolkit()?))?;
    // Device code is not documented. A folder of its own, so that it is not built again afterwards, nor here: without the
    // tests' dependencies, packages have other features.
    let mut doc = cargo("doc --workspace --no-deps");
    doc.env("CARGO_TARGET_DIR", "target/docs").env("IKRA_SKIP_DEVICE", "1");
    step(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

/// A folder that `cust` accepts as a CUDA toolkit. Code that uses `cust` is checked with it but not linked.
fn no_toolkit() -> Result<PathBuf, String> {
    let folder = path::absolute("target/no-toolkit").map_err(|error| format!("target: {error}"))?;
    fs::create_dir_all(folder.join("lib64")).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(folder)
}

/// Checks that each published crate can be packaged.
pub fn package() -> Outcome {
    step(&mut cargo(&format!("package --quiet --no-verify {PUBLISHED}")))
}

/// Installs a compiler of the `rust-version` of Cargo.toml if necessary, and returns the version.
pub fn oldest_compiler() -> Result<String, String> {
    let manifest = fs::read_to_string("Cargo.toml").map_err(|error| format!("Cargo.toml: {error}"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.ok_or("Cargo.toml has no rust-version")?.trim_matches('"');
    if step(&mut program("rustup", &format!("run {version} rustc --version"))).is_err() {
        step(&mut program("rustup", &format!("toolchain install {version} --profile minimal --no-self-update")))?;
    }
    Ok(version.to_owned())
}

/// Checks that the published crates and the macros' expansions compile with the compiler of this version.
pub fn msrv(version: &str) -> Outcome {
    // MPI's library may be missing.
    let (others, no_mpi) = (PUBLISHED.replace("-p ikra-cluster ", ""), "-p ikra-cluster");
    step(cargo(&format!("+{version} check {no_mpi} --features metis")).env("CARGO_TARGET_DIR", "target/msrv"))?;
    let check = format!("+{version} check {others} -p ikra-assembly-tests --all-features");
    let mut check = cargo(&check);
    check.env("CUDA_LIBRARY_PATH", no_toolkit()?);
    step(check.env("CARGO_TARGET_DIR", "target/msrv"))
}

/// Runs the sanitizers, or one of them.
pub fn sanitize(which: &[&str]) -> Outcome {
    step(program("scripts/sanitize.sh", "").args(which))
}
