//! Kernels with a race do not build, each with a message that names it.

use std::path::{Path, PathBuf};
use std::process::Command;

use ikra_generated_tests::combine::combinations;
use ikra_generated_tests::write::rejected;

#[test]
fn every_race_is_an_error() {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).expect("the workspace").to_owned();
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let folder = target.join("rejected");
    std::fs::create_dir_all(folder.join("src")).expect("the folder can be made");
    let manifest = format!(
        "[package]\nname = \"rejected\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nikra = {{ path = {project:?} }}\n[workspace]\n"
    );
    std::fs::write(folder.join("Cargo.toml"), manifest).expect("the folder can be written");
    std::fs::copy(project.join("Cargo.lock"), folder.join("Cargo.lock")).expect("there is a lock file");
    let combinations = combinations();
    std::fs::write(folder.join("src/main.rs"), rejected(&combinations)).expect("the folder can be written");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--quiet", "--color=never"])
        .current_dir(&folder)
        .env("CARGO_TARGET_DIR", target.join("rejected-target"))
        .env("IKRA_SKIP_DEVICE", "1")
        .output()
        .expect("cargo runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "racy kernels were built");
    let mut missed = Vec::new();
    let mut count = 0;
    for kernel in combinations.iter().filter(|kernel| kernel.races()) {
        count += 1;
        if !messages.contains(&format!("data race: kernel `Thing::k{}` writes", kernel.number)) {
            missed.push(kernel.number);
        }
    }
    let others: Vec<&str> =
        messages.lines().filter(|line| line.starts_with("error") && !line.contains("data race: kernel")).collect();
    println!("{count} kernels");
    assert!(missed.is_empty(), "no error for {missed:?}\n{messages}");
    assert!(others.iter().all(|line| line.contains("could not compile")), "{others:?}");
    assert!(count > 150);
}
