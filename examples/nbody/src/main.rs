//! A gravitational n-body simulation: leap-frog, softened, all pairs.
#![forbid(unsafe_code)]

mod input;
mod model;
mod options;
mod picture;
mod plummer;
mod simulation;
mod steps;

use std::process::ExitCode;

use clap::Parser;

use example_program::{ThreadsError, Unsaved, Unwritable};
use input::InputError;
use options::Options;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error(transparent)]
    Unsaved(#[from] Unsaved),
    #[error("the energy drifted by {drift:.2e}, more than the {limit:.2e} that leap-frog allows; take a shorter --dt")]
    Drift { drift: f64, limit: f64 },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Drift { .. } | Self::Unsaved(_) => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("nbody", simulation::run(&options), Failure::code)
}
