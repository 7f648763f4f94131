//! What does not compile, and what is said about it.
//!
//! Data races are found when a kernel is compiled for its world, by `cargo build` and not by `cargo
//! check`. `trybuild` builds as soon as one case is to pass, hence all cases are in one `TestCases`.
//!
//! `TRYBUILD=overwrite cargo test --test ui` writes the `.stderr` files anew.
#![allow(missing_docs, reason = "a test, not a library")]

#[test]
fn ui() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/race/pass_*.rs");
    for theme in ["class", "methods", "race", "value", "world"] {
        for case in std::fs::read_dir(format!("tests/ui/{theme}")).unwrap() {
            let path = case.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if name.ends_with(".rs") && !name.starts_with("pass_") {
                cases.compile_fail(path);
            }
        }
    }
}
