//! Checks that documents name existing files.

#![cfg(test)]

use std::fs;
use std::path::Path;

/// The paths in backquotes that begin with a folder of the repository.
fn paths(text: &str) -> impl Iterator<Item = &str> {
    let folders = ["ikra-", "tests/", "benches/", "examples/", "docs/", "scripts/", "xtask"];
    text.split('`').skip(1).step_by(2).filter(move |code| {
        let is_path = code.contains('/') && code.chars().all(|c| c.is_alphanumeric() || "/-_.".contains(c));
        is_path && folders.iter().any(|folder| code.starts_with(folder))
    })
}

#[test]
fn documents_that_people_read_are_short() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the repository");
    for (document, most) in [("README.md", 200), ("docs/performance.md", 350)] {
        let lines = fs::read_to_string(root.join(document)).expect("it can be read").lines().count();
        assert!(lines <= most, "{document} has {lines} lines, at most {most}: move something to docs/ or docs/notes/");
    }
}

#[test]
fn documents_name_files_that_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("a folder of the repository");
    let documents = ["architecture", "arrays", "atomics", "compilers", "cuda", "debug-builds", "dispatch", "guide"];
    let more = [
        "hidden-items",
        "performance",
        "soundness",
        "notes/tables",
        "notes/dispatch",
        "notes/traffic-arrays",
        "notes/kernels",
    ];
    let documents = documents.iter().chain(&more).map(|name| format!("docs/{name}.md"));
    for document in documents.chain(["README.md", "CONTRIBUTING.md", "examples/README.md"].map(String::from)) {
        let text = fs::read_to_string(root.join(&document)).expect("it can be read");
        let missing: Vec<_> = paths(&text).filter(|path| !root.join(path).exists()).collect();
        assert!(missing.is_empty(), "{document} names files that do not exist: {missing:?}");
    }
}
