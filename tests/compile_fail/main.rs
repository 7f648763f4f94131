//! Compile errors, as a user sees them. `cargo xtask bless ui` rewrites the expected ones; read each change as a newcomer
//! would.
//!
//! A case is a program, `NAME.rs`, or what it changes in a program that builds, `NAME.diff` (`expand.rs`).
//!
//! `IKRA_LONG=1` and `IKRA_REQUIRE_UI=1` compile all cases. Otherwise one in five of each theme is compiled, or those that
//! are named:
//! `cargo test -p ikra-compile-fail-tests -- ui trybuild=track`.

mod expand;

use std::collections::BTreeMap;
use std::env;
use std::path::PathBuf;
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

/// The flags for all cases, which are compiled by one `cargo check`, side by side.
///
/// With `--emit=obj` it finds what else only `cargo build` finds, when kernels and executors are instantiated: data races,
/// orders of threads. The others are trybuild's own. It compiles what cases depend on without the last of them, and then
/// once more with it, unless all are in this variable.
const FLAGS: (&str, &str) = (
    "CARGO_ENCODED_RUSTFLAGS",
    "--emit=obj\x1f--cfg\x1ftrybuild\x1f--verbose\x1f-Adead_code\x1f--diagnostic-width=140",
);

/// Programs with mistakes, each with its message.
#[test]
fn ui() {
    if !is_expected_compiler() {
        return;
    }
    // Trybuild takes the variable from its own process, so that it runs in another, with the same choice of cases.
    if env::var_os(FLAGS.0).is_none_or(|flags| flags != FLAGS.1) {
        let choice = env::args().filter(|argument| argument.starts_with("trybuild="));
        let mut test = Command::new(env::current_exe().expect("it is known"));
        let status = test.args(["ui", "--exact", "--nocapture"]).args(choice).env(FLAGS.0, FLAGS.1).status();
        assert!(status.expect("the test runs").success(), "see above");
        return;
    }
    let is_set = |name: &str| env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_long = is_set("IKRA_LONG") || is_set("IKRA_REQUIRE_UI");
    let are_named = env::args().any(|argument| argument.starts_with("trybuild="));
    let step = if is_long || are_named { 1 } else { 5 };
    let cases = trybuild::TestCases::new();
    let mut themes: BTreeMap<PathBuf, usize> = BTreeMap::new();
    for program in expand::programs() {
        let count = themes.entry(program.parent().expect("a folder").to_owned()).or_default();
        if count.is_multiple_of(step) {
            cases.compile_fail(program);
        }
        *count += 1;
    }
    // Compiles them.
    drop(cases);
    expand::take_messages();
}

/// One mistake is one message: in programs of ordinary size, whose other parts use what has the mistake.
#[test]
fn few_errors() {
    let mut cases = 0;
    for entry in std::fs::read_dir("cascades").expect("the folder is there") {
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
