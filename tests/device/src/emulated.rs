//! Runs tests on the emulator in a separate process, even if there is a GPU.

use std::process::Command;

/// Runs tests of this file on the emulator, with variables for it, and returns the output of both.
///
/// # Panics
///
/// If a test fails or is missing.
#[must_use]
pub fn emulated(variables: &[(&str, &str)], tests: &[&str]) -> String {
    let mut run = Command::new(std::env::current_exe().expect("the path of this program"));
    run.args(["--exact", "--include-ignored", "--nocapture", "--test-threads=1"]).args(tests);
    let run = ikra_test_gpu::emulate(&mut run, variables).output().expect("this program");
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && said.contains(&format!("{} passed", tests.len())), "{}: {said}", run.status);
    said
}
