//! A driver made for tests, for files that are run beside it.
#![cfg(target_os = "linux")]

#[path = "../../../../ikra-gpu/tests/driver/build.rs"]
mod build;

/// Runs tests of the same file with a driver whose device is the host's memory, and returns what they and the driver print.
pub fn made_up(plan: &str, tests: &[&str]) -> String {
    static FOLDER: std::sync::OnceLock<std::path::PathBuf> = std::sync::OnceLock::new();
    let folder = FOLDER.get_or_init(|| {
        let sources = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ikra-gpu/tests/driver");
        let folder = build::driver(concat!(env!("CARGO_TARGET_TMPDIR"), "/device-tests"), sources, &[]);
        // The name that `cudarc` tries first, for the same library.
        let _ = std::os::unix::fs::symlink("libcuda.so.1", folder.join("libcuda.so"));
        folder
    });
    let mut run = std::process::Command::new(std::env::current_exe().unwrap());
    run.args(["--exact", "--include-ignored", "--nocapture", "--test-threads=1"]).args(tests);
    let run = run.env("LD_LIBRARY_PATH", folder).env("IKRA_FAKE_DRIVER", plan).output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&run.stdout), String::from_utf8_lossy(&run.stderr));
    assert!(run.status.success() && said.contains(&format!("{} passed", tests.len())), "{}: {said}", run.status);
    said
}
