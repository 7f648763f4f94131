//! Writes random programs and their plain models.
//!
//! The seeds are [`SEEDS`], or the value of `IKRA_RANDOM_SEEDS`, `5` or `100..120`; chosen seeds give larger programs.

#[path = "src/actions.rs"]
mod actions;
#[path = "src/bodies.rs"]
mod bodies;
#[path = "src/chains.rs"]
mod chains;
#[path = "src/classes.rs"]
mod classes;
#[path = "src/expressions.rs"]
mod expressions;
#[path = "src/generator.rs"]
mod generator;
#[path = "src/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

/// The default seeds.
const SEEDS: std::ops::Range<u64> = 1..2;

fn seeds() -> std::ops::Range<u64> {
    println!("cargo::rerun-if-env-changed=IKRA_RANDOM_SEEDS");
    let Ok(text) = std::env::var("IKRA_RANDOM_SEEDS") else { return SEEDS };
    let number = |text: &str| text.parse::<u64>().expect("IKRA_RANDOM_SEEDS is a number, or a range such as 100..120");
    match text.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => number(&text)..number(&text) + 1,
    }
}

/// Whether seeds were chosen; if so, programs are larger.
fn is_chosen() -> bool {
    std::env::var_os("IKRA_RANDOM_SEEDS").is_some()
}

fn main() {
    println!("cargo::rerun-if-changed=src");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let (mut model, mut plain) = (String::new(), String::new());
    for seed in seeds() {
        let (classes, twin) = program::write(seed, is_chosen());
        model.push_str(&classes);
        plain.push_str(&twin);
    }
    let names: String = seeds().map(|seed| format!("random_{seed}::PROGRAM, ")).collect();
    plain.push_str(&format!("/// The programs.\npub const PROGRAMS: &[crate::Program] = &[{names}];\n"));
    let path = folder.join("random.rs");
    // Unchanged files are not rewritten, so that nothing is recompiled.
    for (path, text) in [(&path, &model), (&folder.join("plain.rs"), &plain)] {
        if fs::read_to_string(path).is_ok_and(|old| old == *text) {
            continue;
        }
        fs::write(path, text).expect("OUT_DIR can be written");
    }
    fs::write(folder.join("modules.rs"), format!("#[path = {path:?}]\npub mod random;\n"))
        .expect("OUT_DIR can be written");
    ikra_build::Device::new(path).stack(16 * 1024).build();
}
