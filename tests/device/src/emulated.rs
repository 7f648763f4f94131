//! Runs tests in a separate process: on the emulator, even if there is a GPU, or with a variable.

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

/// Runs tests of this file in a separate process with a variable, on the GPU of this process's tests.
///
/// # Panics
///
/// If a test fails or is missing.
pub fn with_variable(name: &str, value: &str, tests: &[&str]) {
    let mut run = Command::new(std::env::current_exe().expect("the path of this program"));
    let run = run
        .args(["--exact", "--include-ignored", "--nocapture"])
        .args(tests)
        .env(name, value)
        .output()
        .expect("this program");
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    let all = format!("{} passed", tests.len());
    assert!(run.status.success() && said.contains(&all), "{name}={value}: {}: {said}", run.status);
}
