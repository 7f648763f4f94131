//! Compile errors, as a user sees them. `TRYBUILD=overwrite cargo test --test ui` rewrites the expected
//! ones; read each change as a newcomer would.

use std::process::Command;

/// The compiler whose messages are checked in: others word some of them differently.
const RUSTC: &str = "rustc 1.95";

/// Whether the compiler is the one whose messages are expected.
fn is_expected_compiler() -> bool {
    let version = Command::new("rustc").arg("--version").output().expect("rustc runs");
    let version = String::from_utf8_lossy(&version.stdout);
    if !version.starts_with(RUSTC) {
        assert!(
            std::env::var_os("IKRA_REQUIRE_UI").is_none(),
            "the expected messages are those of {RUSTC}, and this is {version}"
        );
        eprintln!("SKIPPED: the expected messages are those of {RUSTC}, and this is {version}");
    }
    version.starts_with(RUSTC)
}

/// What `cargo check` finds. All cases are compiled by one call of cargo, side by side.
#[test]
fn ui_of_check() {
    if is_expected_compiler() {
        let cases = trybuild::TestCases::new();
        for theme in ["arrays", "cascades", "class", "methods", "soundness", "text", "value", "world"] {
            cases.compile_fail(format!("tests/ui/{theme}/*.rs"));
        }
    }
}

/// What `cargo build` alone finds, when kernels and executors are instantiated: data races, orders of threads.
#[test]
fn ui_of_build() {
    if is_expected_compiler() {
        let cases = trybuild::TestCases::new();
        // A case that passes makes trybuild build, one case after the other.
        cases.pass("tests/ui/pass/*.rs");
        for theme in ["dispatch", "instances", "order", "race"] {
            cases.compile_fail(format!("tests/ui/{theme}/*.rs"));
        }
    }
}

/// One mistake is one message: in programs of ordinary size, whose other parts use what has the mistake.
#[test]
fn few_errors() {
    let mut cases = 0;
    for entry in std::fs::read_dir("tests/ui/cascades").expect("the folder is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|extension| extension != "stderr") {
            continue;
        }
        cases += 1;
        let text = std::fs::read_to_string(&path).expect("it can be read");
        let errors = text.lines().filter(|line| line.starts_with("error")).count();
        let lines = text.lines().count();
        // Three mistakes, one of which the compiler points out twice.
        let most = if path.ends_with("syntax_in_three.stderr") { 4 } else { 3 };
        assert!(errors <= most && lines <= 40, "{}: {errors} errors, {lines} lines", path.display());
    }
    assert!(cases > 30, "{cases}");
}
