//! All checks that have to pass.

use std::process::Command;
use std::time::Instant;

use crate::run::{Outcome, cargo, program, step, tests};
use crate::{check, cluster, passes};

/// Which checks run.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Those for each change: well under an hour on two cores.
    Each,
    /// All cases of all tests, and the slow checks: some hours.
    All,
}

/// For each change, the sanitizers end before so many minutes have passed.
const MINUTES: u64 = 75;

/// Runs all checks, and stops at the first failure. At the end it lists the skipped checks.
pub fn ci(extent: Extent) -> Outcome {
    let start = Instant::now();
    let mut skipped = Vec::new();
    // Tests of device code and of messages fail, instead of being skipped, if their compiler is missing. What fails is
    // listed whole.
    let mut all = cargo("test --workspace --no-fail-fast");
    all.env("IKRA_REQUIRE_DEVICE_CODE", "1").env("IKRA_REQUIRE_UI", "1");
    if extent == Extent::All {
        all.env("IKRA_LONG", "1");
    }
    // Tests that check for panics print every panic: with backtraces that is a million lines.
    all.env("RUST_BACKTRACE", "0");
    // Tests that need a GPU run on the machine's, if there is a driver.
    if Command::new("nvidia-smi").output().is_ok_and(|output| output.status.success()) {
        all.env("IKRA_REQUIRE_GPU", "1");
    }
    tests(&mut all, &mut skipped)?;
    // Changes in compiler output disable passes without an error. Also makes the device code of benchmarks, which have no
    // tests.
    passes::passes(false, &mut skipped)?;
    check::lint()?;
    step(&mut cargo("test --features glam,serde --test libraries"))?;
    // Built alone, without the features that other packages of the workspace enable.
    step(&mut cargo("run --example quickstart"))?;
    check::package()?;
    match check::oldest_compiler() {
        Ok(version) => check::msrv(&version)?,
        Err(message) => {
            skipped.push(format!("the check with the oldest compiler, which rustup cannot install: {message}"));
        }
    }
    tables(extent, &mut skipped)?;
    if cluster::is_there() {
        cluster::cluster(extent == Extent::All)?;
    } else {
        skipped.push("ranks of MPI, which is not installed".to_owned());
    }
    step(&mut cargo("run --release -p nbody -- --bodies 1024 --steps 20 --dt 0.01 --check"))?;
    if extent == Extent::All {
        // Also benchmarks for GPUs, which have no tests.
        step(&mut cargo("build --workspace --bins"))?;
        step(
            cargo("clippy --manifest-path benches/peers/Cargo.toml --all-targets -- -D warnings")
                .env("CARGO_TARGET_DIR", "target/peers"),
        )?;
        step(&mut cargo("test --release -p life"))?;
        for algorithm in ["bfs", "components", "pagerank", "sssp"] {
            step(&mut cargo(&format!("run --release -p graph -- --algorithm {algorithm} --vertices 50000 --check")))?;
        }
        step(&mut cargo("run --release -p raytrace -- --size 128x128 --samples 4 --check"))?;
    }
    sanitizers(extent, start, &mut skipped)?;
    skipped.sort();
    skipped.dedup();
    for reason in &skipped {
        println!("\nNOT RUN: {reason}");
    }
    let but = if skipped.is_empty() { "all checks passed" } else { "all checks passed but those that were NOT RUN" };
    println!("\n{but}, in {} minutes", start.elapsed().as_secs() / 60);
    Ok(())
}

/// Checks the tables, whose dependencies are heavy, and therefore not part of the workspace's tests.
fn tables(extent: Extent, skipped: &mut Vec<String>) -> Outcome {
    let cargo = |arguments: &str| {
        let mut command = cargo(arguments);
        command.env("CARGO_TARGET_DIR", "target/tables").env("RUST_BACKTRACE", "0");
        // For the examples in the documentation; for all, so that dependencies are compiled once.
        command.env("RUSTFLAGS", "--cfg ikra_tables");
        if extent == Extent::All {
            command.env("IKRA_LONG", "1");
        }
        command
    };
    step(&mut cargo("fmt --manifest-path tests/tables/Cargo.toml --all --check"))?;
    let clippy = "clippy --manifest-path tests/tables/Cargo.toml --workspace --all-targets -- -D warnings";
    step(&mut cargo(clippy))?;
    let mut all = cargo("test --manifest-path tests/tables/Cargo.toml --workspace --no-fail-fast");
    tests(all.env("IKRA_REQUIRE_PYTHON", "1"), skipped)?;
    step(&mut cargo("test --lib -p ikra-tables --features ikra-tables/files"))?;
    let both =
        "-p ikra-tables -p ikra-cluster --features ikra-tables/files,ikra-cluster/checkpoints,ikra-cluster/metis";
    step(&mut cargo(&format!("clippy {both} -- -D warnings")))?;
    step(&mut cargo(&format!("test --doc {both}")))?;
    step(cargo(&format!("doc {both} --no-deps")).env("RUSTDOCFLAGS", "-D warnings"))
}

/// Runs the sanitizers if a nightly toolchain is installed. Each has limited time, and less after slow checks.
fn sanitizers(extent: Extent, start: Instant, skipped: &mut Vec<String>) -> Outcome {
    if step(&mut program("rustc", "+nightly --version")).is_err() {
        skipped.push("the sanitizers need a nightly toolchain".to_owned());
        return Ok(());
    }
    let is_std_instrumented = step(&mut program("scripts/sanitize.sh", "std")).is_ok();
    let (minutes, cases) = if extent == Extent::All { (60, "") } else { (10, "short") };
    for which in ["address", "thread"] {
        let left = MINUTES.saturating_sub(start.elapsed().as_secs() / 60);
        let minutes = if extent == Extent::All { minutes } else { left.min(minutes) };
        if minutes == 0 {
            skipped.push(format!("{which} sanitizer: the checks before it took {MINUTES} minutes"));
            continue;
        }
        let sanitizer = step(&mut program("timeout", &format!("{} scripts/sanitize.sh {which} {cases}", 60 * minutes)));
        match sanitizer {
            Err(message) if message.contains("exit status: 124") => {
                skipped.push(format!("{which} sanitizer: not done after {minutes} minutes"));
            }
            // Without the standard library's sources it misses synchronisation and reports false races, so a person has
            // to check.
            Err(message) if which == "thread" && !is_std_instrumented => {
                skipped.push(format!(
                    "thread sanitizer, for want of the standard library's sources: SEE ABOVE ({message})"
                ));
            }
            outcome => outcome?,
        }
    }
    if !is_std_instrumented {
        skipped.push("tests/hostile under ThreadSanitizer, for want of the standard library's sources".to_owned());
    }
    Ok(())
}
