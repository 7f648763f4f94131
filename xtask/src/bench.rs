//! Measurements, and the tables and plots of docs/performance.md.

use std::fs;

use crate::builds;
use crate::chart;
use crate::emulated;
use crate::run::{Outcome, cargo, program, step};
use crate::tables;

const USAGE: &str = "usage: cargo xtask bench [host | peers | gpu | dispatch | models | traffic | workloads [host | check] | emulated [FILE | docs] | docs FILE … | builds | plots | chart] [ARGUMENTS]";

/// Runs one group of benchmarks, with arguments for it.
pub fn bench(what: &[&str]) -> Outcome {
    match what {
        [] => host(&[]),
        ["host", arguments @ ..] => host(arguments),
        ["peers", arguments @ ..] => peers(arguments),
        ["workloads", place @ ("host" | "check"), arguments @ ..] => {
            let run = "run --release --manifest-path benches/workloads/Cargo.toml --";
            step(cargo(run).arg(place).args(arguments))
        }
        [gpu_program @ ("gpu" | "dispatch" | "models" | "traffic" | "workloads"), arguments @ ..] => {
            gpu(gpu_program, arguments)
        }
        ["emulated"] => emulated::emulated(None),
        ["emulated", "docs"] => emulated::docs(),
        ["emulated", earlier] => emulated::emulated(Some(earlier)),
        ["docs", files @ ..] if !files.is_empty() => files.iter().try_for_each(|file| tables::take_over(file)),
        ["builds"] => builds::builds(),
        ["plots"] => plots(),
        ["chart"] => chart::draw(),
        _ => Err(USAGE.to_owned()),
    }
}

/// Ikra compared with hand-written loops and crates for columns.
fn host(arguments: &[&str]) -> Outcome {
    step(cargo("bench -p ikra-benches --benches --").args(arguments))?;
    step(&mut cargo("run --quiet --release -p ikra-benches --bin bench-table"))
}

/// Ikra compared with entity component systems.
fn peers(arguments: &[&str]) -> Outcome {
    let mut peers = cargo("bench --manifest-path benches/peers/Cargo.toml --");
    step(peers.args(arguments).env("CARGO_TARGET_DIR", "target/peers"))
}

/// Ikra compared with CUDA, on a machine with a GPU and `nvcc`: a program in benches/gpu, benches/dispatch,
/// benches/models, benches/traffic or benches/workloads.
fn gpu(name: &str, arguments: &[&str]) -> Outcome {
    step(&mut program("benches/cuda/build.sh", ""))?;
    let run = format!("run --release --manifest-path benches/{name}/Cargo.toml -- target/cuda/libbaselines.so");
    step(cargo(&run).args(arguments))
}

/// Draws each table of docs/*.csv, and the chart of the README.
fn plots() -> Outcome {
    chart::draw()?;
    let folder = fs::read_dir("docs").map_err(|error| format!("docs: {error}"))?;
    let mut tables: Vec<_> = folder.flatten().map(|entry| entry.path()).collect();
    tables.retain(|path| path.extension().is_some_and(|extension| extension == "csv"));
    tables.sort();
    for table in tables {
        let text = fs::read_to_string(&table).map_err(|error| format!("{}: {error}", table.display()))?;
        let scale = if text.contains("# scale: logarithmic") { "--log" } else { "" };
        let mut plot = cargo(&format!("run --quiet --release -p ikra-plots -- {scale}"));
        step(plot.arg(&table).arg(table.with_extension("svg")))?;
    }
    Ok(())
}
