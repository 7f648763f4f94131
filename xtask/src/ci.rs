//! Everything that has to pass.

use std::process::Command;

use crate::check;
use crate::run::{Outcome, cargo, program, step};

/// Runs all checks, and stops at the first that fails.
pub fn ci() -> Outcome {
    // Tests of device code and of messages fail, instead of being skipped, without the compiler that they need.
    step(cargo("test --workspace").env("IKRA_REQUIRE_DEVICE_CODE", "1").env("IKRA_REQUIRE_UI", "1"))?;
    check::lint()?;
    step(&mut cargo("test --features glam,serde --test glam --test serde"))?;
    // Alone, without the features that other packages of the workspace turn on.
    step(&mut cargo("run --example quickstart"))?;
    check::package()?;
    check::msrv()?;
    step(
        cargo("clippy --manifest-path benches/peers/Cargo.toml --all-targets -- -D warnings")
            .env("CARGO_TARGET_DIR", "target/peers"),
    )?;
    step(&mut cargo("test --release --example life"))?;
    step(&mut cargo("run --release -p nbody -- --bodies 1024 --steps 20 --dt 0.01 --check"))?;
    step(&mut cargo("run --release -p bfs -- --vertices 50000 --check"))?;
    sanitizers()?;
    println!("\nall checks passed");
    Ok(())
}

/// The sanitizers where there is a nightly toolchain.
fn sanitizers() -> Outcome {
    let toolchains = Command::new("rustup").args(["toolchain", "list"]).output().map(|output| output.stdout);
    if !String::from_utf8_lossy(&toolchains.unwrap_or_default()).contains("nightly") {
        println!("\n== NOT RUN: the sanitizers need a nightly toolchain");
        return Ok(());
    }
    step(&mut program("timeout", "1200 scripts/sanitize.sh address"))?;
    // Without the standard library's sources it sees hand-overs that are none; so somebody has to look.
    if let Err(message) = step(&mut program("timeout", "1200 scripts/sanitize.sh thread")) {
        println!("\n== ThreadSanitizer: SEE ABOVE ({message})");
    }
    Ok(())
}
