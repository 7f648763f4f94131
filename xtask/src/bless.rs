//! Rewrites expected output. Before you commit it, read the difference as a newcomer would.

use crate::run::{Outcome, cargo, step};

/// Writes the compile errors of `tests/compile_fail`, the expansions of `ikra-macros/tests/expansions`, or both.
pub fn bless(what: &[&str]) -> Outcome {
    match what {
        [] => {
            expansions()?;
            ui(None)
        }
        ["expansions"] => expansions(),
        ["ui"] => ui(None),
        ["ui", file] => ui(Some(file)),
        _ => Err("usage: cargo xtask bless [ui [FILE] | expansions]".to_owned()),
    }
}

fn ui(file: Option<&str>) -> Outcome {
    let mut test = cargo("test -p ikra-compile-fail-tests -- ui");
    if let Some(file) = file {
        test.arg(format!("trybuild={file}"));
    }
    // Messages differ between compilers: this fails with any compiler but the expected one.
    step(test.env("TRYBUILD", "overwrite").env("IKRA_REQUIRE_UI", "1").env("IKRA_LONG", "1"))
}

fn expansions() -> Outcome {
    step(cargo("test -p ikra-macros expansions").env("IKRA_EXPANSIONS", "overwrite"))
}
