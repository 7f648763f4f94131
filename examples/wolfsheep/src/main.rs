//! Wolves, sheep and grass.
fn main() {}
