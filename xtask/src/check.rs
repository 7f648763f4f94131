//! Checks that are tasks of their own.

use std::fs;

use crate::run::{Outcome, cargo, program, step};

/// The published crates, in the order in which they would be published.
const PUBLISHED: &str = "-p ikra-core -p ikra-runtime -p ikra-gpu -p ikra-macros -p ikra-build -p ikra";

/// Formatting, lints, and documentation without warnings.
pub fn lint() -> Outcome {
    step(&mut cargo("fmt --all --check"))?;
    step(&mut cargo("clippy --workspace --all-targets -- -D warnings"))?;
    // Checked without a CUDA toolkit: `cust` asks for none where documentation is built.
    step(cargo("clippy -p ikra-gpu -p interop --features cust -- -D warnings").env("DOCS_RS", "1"))?;
    step(cargo("doc --workspace --no-deps").env("RUSTDOCFLAGS", "-D warnings"))
}

/// Each published crate can be packaged.
pub fn package() -> Outcome {
    step(&mut cargo(&format!("package --quiet --no-verify {PUBLISHED}")))
}

/// The published crates, and what the macros make of classes, compile with the `rust-version` of Cargo.toml.
pub fn msrv() -> Outcome {
    let manifest = fs::read_to_string("Cargo.toml").map_err(|error| format!("Cargo.toml: {error}"))?;
    let version = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "));
    let version = version.ok_or("Cargo.toml has no rust-version")?.trim_matches('"');
    if step(&mut program("rustup", &format!("run {version} rustc --version"))).is_err() {
        step(&mut program("rustup", &format!("toolchain install {version} --profile minimal --no-self-update")))?;
    }
    let check = format!("+{version} check {PUBLISHED} -p ikra-assembly-tests --all-features");
    // `cust` asks for no CUDA toolkit where documentation is built; somebody has to choose CUDA's version for `cudarc`.
    let own = [("DOCS_RS", "1"), ("CUDARC_CUDA_VERSION", "12000"), ("CARGO_TARGET_DIR", "target/msrv")];
    step(cargo(&check).envs(own))
}

/// The sanitizers, or one of them.
pub fn sanitize(which: &[&str]) -> Outcome {
    step(program("scripts/sanitize.sh", "").args(which))
}
