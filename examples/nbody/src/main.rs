//! A gravitational n-body simulation: leap-frog, softened, all pairs.
#![forbid(unsafe_code)]

mod input;
mod model;
mod options;
mod output;
mod picture;
mod plummer;
mod simulation;
mod steps;

use std::process::ExitCode;

use clap::Parser;

use example_output::Unwritable;
use input::InputError;
use options::Options;

/// More threads than this are a mistake, and may be more than the system starts.
const MOST_THREADS: usize = 1024;

/// What ends the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error("cannot write {path}: {reason}")]
    Log { path: String, reason: String },
    #[error("--threads {threads}: at most {MOST_THREADS}")]
    TooManyThreads { threads: usize },
    #[error("cannot start {threads} threads: {reason}")]
    Threads { threads: usize, reason: String },
    #[error("the energy drifted by {drift:.2e}, more than the {limit:.2e} that leap-frog allows; take a shorter --dt")]
    Drift { drift: f64, limit: f64 },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::TooManyThreads { .. } => 2,
            Self::Ikra(ikra::Error::Gpu(ikra::GpuError::NoDevice { .. } | ikra::GpuError::NoDeviceCode { .. })) => 3,
            _ => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options end the program with code 2 as well.
    let options = Options::parse();
    match simulation::run(&options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("nbody: {failure}");
            ExitCode::from(failure.code())
        }
    }
}
