//! Writes random programs and their plain models.
//!
//! The seeds are [`SEEDS`], or the value of `IKRA_RANDOM_SEEDS`, `5` or `100..120`; chosen seeds give larger programs.
//! `IKRA_LIVES_SEEDS` are those of programs whose objects come and go.

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
#[path = "src/lives.rs"]
mod lives;
#[path = "src/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

/// The default seeds.
const SEEDS: std::ops::Range<u64> = 1..2;
/// Those of programs whose objects come and go.
const LIVELY_SEEDS: std::ops::Range<u64> = 1..3;

/// The seeds that a variable of the environment names.
fn chosen(variable: &str) -> Option<std::ops::Range<u64>> {
    println!("cargo::rerun-if-env-changed={variable}");
    let text = std::env::var(variable).ok()?;
    let number = |text: &str| {
        text.parse::<u64>().unwrap_or_else(|_| panic!("{variable} is a number, or a range such as 100..120"))
    };
    Some(match text.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => number(&text)..number(&text) + 1,
    })
}

fn seeds() -> std::ops::Range<u64> {
    chosen("IKRA_RANDOM_SEEDS").unwrap_or(SEEDS)
}

/// The seeds of programs whose objects come and go.
fn lively_seeds() -> std::ops::Range<u64> {
    chosen("IKRA_LIVES_SEEDS").unwrap_or(LIVELY_SEEDS)
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
    // Kernels that make or remove objects run on the host, so these programs are not compiled for a device.
    let mut lively: String = lively_seeds().map(lives::write).collect();
    let names: String = lively_seeds().map(|seed| format!("lives_{seed}::PROGRAM, ")).collect();
    lively.push_str(&format!(
        "/// The programs whose objects come and go.\npub const LIVELY: &[crate::Lively] = &[{names}];\n"
    ));
    let path = folder.join("random.rs");
    // Unchanged files are not rewritten, so that nothing is recompiled.
    for (path, text) in [(&path, &model), (&folder.join("plain.rs"), &plain), (&folder.join("lives.rs"), &lively)] {
        if fs::read_to_string(path).is_ok_and(|old| old == *text) {
            continue;
        }
        fs::write(path, text).expect("OUT_DIR can be written");
    }
    fs::write(folder.join("modules.rs"), format!("#[path = {path:?}]\npub mod random;\n"))
        .expect("OUT_DIR can be written");
    ikra_build::Device::new(path).stack(16 * 1024).build();
}
