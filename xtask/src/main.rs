//! Tasks for developers of Ikra: `cargo xtask` lists them.

mod bench;
mod bless;
mod budgets;
mod builds;
mod chart;
mod check;
mod ci;
mod cluster;
mod counts;
mod docs;
mod emulated;
mod modules;
mod passes;
mod proofs;
mod run;
mod source;
mod tables;

use std::path::Path;
use std::process::ExitCode;

use run::Outcome;

const USAGE: &str = "usage: cargo xtask TASK

  ci [all]                      what has to pass for each change, or all checks; .ci/run installs what it needs
  lint                          budgets, formatting, clippy, documentation
  bless [ui [FILE] | expansions]
                                write the expected messages and expansions anew; FILE is part of a file's name
  bench [host | peers | gpu | dispatch | models | traffic | workloads | emulated | docs | builds | plots | chart] [ARGUMENTS]
                                measure, and print the tables of docs/performance.md; docs FILE copies the tables of a
                                program's output there, builds takes the time of builds after a change;
                                plots draws docs/*.csv, chart the README's chart; emulated counts what kernels do,
                                without a GPU, and compares with an earlier table, FILE
  passes [bless]                make all device code by each compiler that can, and compare how often passes fire
                                with tests/codegen/passes.txt, or write that file
  sanitize [address [all | short] | thread [all | short]]
                                AddressSanitizer and ThreadSanitizer, with a nightly toolchain
  cluster [all]                 run what needs MPI with 1 to 4 ranks
  counts                        print what should not grow: lines, traits, hidden items and more; fail above a budget
  package                       check that the published crates can be packaged
  msrv                          check the published crates with the oldest compiler that they promise";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask is a folder of the repository");
    std::env::set_current_dir(root).expect("the repository is there");
    match task(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn task(arguments: &[&str]) -> Outcome {
    match arguments {
        ["ci"] => ci::ci(ci::Extent::Each),
        ["ci", "all"] => ci::ci(ci::Extent::All),
        ["lint"] => check::lint(),
        ["bless", what @ ..] => bless::bless(what),
        ["bench", what @ ..] => bench::bench(what),
        ["passes"] => passes::all(false),
        ["passes", "bless"] => passes::all(true),
        ["sanitize", which @ ..] => check::sanitize(which),
        ["cluster"] => cluster::cluster(false),
        ["cluster", "all"] => cluster::cluster(true),
        ["counts"] => counts::counts(),
        ["package"] => check::package(),
        ["msrv"] => check::msrv(&check::oldest_compiler()?),
        _ => Err(USAGE.to_owned()),
    }
}
