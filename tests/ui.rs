//! Compile errors, as a user sees them. `TRYBUILD=overwrite cargo test --test ui` rewrites the expected
//! ones; read each change as a newcomer would.

use std::process::Command;

/// The compiler whose messages are checked in: others word some of them differently.
const RUSTC: &str = "rustc 1.95";

#[test]
fn ui() {
    let version = Command::new("rustc").arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout);
    if !version.starts_with(RUSTC) {
        assert!(
            std::env::var_os("IKRA_REQUIRE_UI").is_none(),
            "the expected messages are those of {RUSTC}, and this is {version}"
        );
        eprintln!("SKIPPED: the expected messages are those of {RUSTC}, and this is {version}");
        return;
    }
    let cases = trybuild::TestCases::new();
    // Data races are found when kernels are instantiated, by `cargo build` and not by `cargo check`. A case
    // that passes makes trybuild build.
    cases.pass("tests/ui/pass/*.rs");
    for theme in ["arrays", "class", "methods", "race", "soundness", "text", "value", "world"] {
        cases.compile_fail(format!("tests/ui/{theme}/*.rs"));
    }
}
