//! Tests in separate processes on the emulator, with other orders of warps and other device code.

use std::path::Path;
use std::process::Command;

use ikra_test_gpu::device_code::is_long;

/// Set in a child process.
const CHILD: &str = "IKRA_TEST_CHILD";

/// Repeats a test on the emulator; each seed randomizes the order of warps.
pub fn in_other_orders(test: &str) {
    if !ikra_test_gpu::is_emulated() || std::env::var_os(CHILD).is_some() {
        return;
    }
    for &seed in if is_long() { &["1", "2"][..] } else { &["1"] } {
        emulated(test, seed, None).unwrap_or_else(|said| panic!("seed {seed}: {said}"));
    }
}

/// Runs the tests with a name in a separate process on the emulator, with this device code instead of the program's.
pub fn emulated(tests: &str, seed: &str, code: Option<&Path>) -> Result<(), String> {
    let mut run = Command::new(std::env::current_exe().unwrap());
    run.args([tests, "--nocapture"]).env(CHILD, "1");
    if let Some(code) = code {
        run.env("IKRA_REPLACE_DEVICE_CODE", format!("ikra-random-tests={}", code.display()));
    }
    let output = ikra_test_gpu::emulate(&mut run, &[("SEED", seed)]).output().unwrap();
    let said = [output.stdout, output.stderr].map(|said| String::from_utf8_lossy(&said).into_owned());
    let has_run = !said[0].contains("running 0 tests");
    if output.status.success() && has_run { Ok(()) } else { Err(format!("{}\n{}", said[0], said[1])) }
}
