//! Runs the workloads of TYPEPTR (table 2), and compares their times and results.
//!
//! - `ikra-workload-benches host [OPTION …] [NAME …]`: Ikra with one and two threads beside plain Rust with one.
//! - `ikra-workload-benches check`: small workloads, on the host with several numbers of threads, in plain Rust, and on a
//!   GPU or the emulator if there is one.
//! - `ikra-workload-benches target/cuda/libbaselines.so [OPTION …] [NAME …]`: Ikra beside hand-written CUDA on a GPU.
//!
//! Options: `--small`; `--steps N`, at most so many of games, of traffic and of pictures; `--samples N`, of which the median is
//! taken; `--csv FOLDER` for files
//! that `cargo xtask bench plots` draws.

mod baselines;
mod host;
mod on_gpu;
mod options;
mod plots;
#[path = "../../dispatch/src/rays.rs"]
mod rays;
#[path = "../../traffic/src/baselines.rs"]
#[allow(dead_code, reason = "of what `benches/traffic` measures, this is a part")]
mod traffic_baselines;

use std::error::Error;

use ikra_workload_benches::Outcome;
use options::Options;

/// The outcome with the median times of several runs, which have the same result.
fn median<E>(samples: u32, mut run: impl FnMut() -> Result<Outcome, E>) -> Result<Outcome, E> {
    let mut outcome = run()?;
    let (mut making, mut running) = (vec![outcome.making], vec![outcome.running]);
    for _ in 1..samples {
        let next = run()?;
        // One that differs counts as the result, so that it shows.
        outcome.checksum = if next.checksum == outcome.checksum { next.checksum } else { 0 };
        making.push(next.making);
        running.push(next.running);
    }
    making.sort();
    running.sort();
    (outcome.making, outcome.running) = (making[making.len() / 2], running[running.len() / 2]);
    Ok(outcome)
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::parse(std::env::args().skip(1))?;
    match options.place.as_str() {
        "host" => host::table(&options),
        "check" => host::check(&options),
        library => on_gpu::table(&options, library),
    }
}
