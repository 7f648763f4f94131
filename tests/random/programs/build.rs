//! Writes random programs and their plain models.
//!
//! The seeds are [`SEEDS`], or the value of `IKRA_RANDOM_SEEDS`, `5` or `100..120`; chosen seeds give larger programs.
//! `IKRA_LIVES_SEEDS` are those of programs whose objects come and go, and `IKRA_COMMANDS_SEEDS` those of commands.

#[path = "src/actions.rs"]
mod actions;
#[path = "src/bodies.rs"]
mod bodies;
#[path = "src/chains.rs"]
mod chains;
#[path = "src/classes.rs"]
mod classes;
#[path = "src/commands.rs"]
mod commands;
#[path = "src/commands_calls.rs"]
mod commands_calls;
#[path = "src/expressions.rs"]
mod expressions;
#[path = "src/generator.rs"]
mod generator;
#[path = "src/lives.rs"]
mod lives;
#[path = "src/lives_kernels.rs"]
mod lives_kernels;
#[path = "src/program.rs"]
mod program;

use std::fs;
use std::path::PathBuf;

/// The default seeds.
const SEEDS: std::ops::Range<u64> = 1..2;
/// Those of programs whose objects come and go, and those with `IKRA_LONG=1`. Without it, only the classes of which a GPU
/// makes objects are compiled for it.
const LIVELY_SEEDS: [std::ops::Range<u64>; 2] = [1..3, 1..5];
/// Those of programs of commands, and those with `IKRA_LONG=1`.
const COMMANDS_SEEDS: [std::ops::Range<u64>; 2] = [1..2, 1..5];

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
    let [short, long] = LIVELY_SEEDS;
    chosen("IKRA_LIVES_SEEDS").unwrap_or(if is_long() { long } else { short })
}

/// The seeds of programs of commands.
fn commands_seeds() -> std::ops::Range<u64> {
    let [short, long] = COMMANDS_SEEDS;
    chosen("IKRA_COMMANDS_SEEDS").unwrap_or(if is_long() { long } else { short })
}

/// Whether to run all tests.
fn is_long() -> bool {
    println!("cargo::rerun-if-env-changed=IKRA_LONG");
    std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty())
}

/// Whether seeds were chosen by a variable of the environment; if so, programs are larger.
fn is_chosen(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

fn main() {
    println!("cargo::rerun-if-changed=src");
    let folder = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets it"));
    let (mut model, mut plain) = (String::new(), String::new());
    for seed in seeds() {
        let (classes, twin) = program::write(seed, is_chosen("IKRA_RANDOM_SEEDS"));
        model.push_str(&classes);
        plain.push_str(&twin);
    }
    let names: String = seeds().map(|seed| format!("random_{seed}::PROGRAM, ")).collect();
    plain.push_str(&format!("/// The programs.\npub const PROGRAMS: &[crate::Program] = &[{names}];\n"));
    let mut lively = String::new();
    for seed in lively_seeds() {
        let is_for_device = is_long() || lives::is_simple(seed);
        let (classes, twin) = lives::write(seed, is_for_device);
        if is_for_device { &mut model } else { &mut lively }.push_str(&classes);
        lively.push_str(&twin);
    }
    let names: String = lively_seeds().map(|seed| format!("lives_{seed}::PROGRAM, ")).collect();
    lively.push_str(&format!(
        "/// The programs whose objects come and go.\npub const LIVELY: &[crate::Lively] = &[{names}];\n"
    ));
    let mut commanded = String::new();
    for seed in commands_seeds() {
        let (classes, twin) = commands::write(seed, is_chosen("IKRA_COMMANDS_SEEDS"));
        model.push_str(&classes);
        commanded.push_str(&twin);
    }
    let names: String = commands_seeds().map(|seed| format!("commands_{seed}::PROGRAM, ")).collect();
    commanded
        .push_str(&format!("/// The programs of commands.\npub const COMMANDED: &[crate::Commanded] = &[{names}];\n"));
    let path = folder.join("random.rs");
    // Unchanged files are not rewritten, so that nothing is recompiled.
    let texts = [("plain.rs", &plain), ("lives.rs", &lively), ("commands.rs", &commanded)];
    for (path, text) in texts.map(|(name, text)| (folder.join(name), text)).into_iter().chain([(path.clone(), &model)])
    {
        if fs::read_to_string(&path).is_ok_and(|old| old == *text) {
            continue;
        }
        fs::write(path, text).expect("OUT_DIR can be written");
    }
    fs::write(folder.join("modules.rs"), format!("#[path = {path:?}]\npub mod random;\n"))
        .expect("OUT_DIR can be written");
    ikra_build::Device::new(path).stack(16 * 1024).build();
}
