//! Compile errors, as a user sees them. `TRYBUILD=overwrite cargo test --test ui` rewrites the expected
//! ones; read each change as a newcomer would.

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    // Data races are found when kernels are instantiated, by `cargo build` and not by `cargo check`. A case
    // that passes makes trybuild build.
    cases.pass("tests/ui/pass/*.rs");
    for theme in ["class", "methods", "race", "value", "world"] {
        cases.compile_fail(format!("tests/ui/{theme}/*.rs"));
    }
}
