//! Flocks of boids, which see their neighbours only.
#![forbid(unsafe_code)]

mod model;
mod options;
mod picture;
mod plain;
mod simulation;
mod steps;

use std::process::ExitCode;

use clap::Parser;

use example_program::{ThreadsError, Unsaved, Unwritable};
use options::Options;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error(transparent)]
    Unsaved(#[from] Unsaved),
    #[error("after step {step}, boid {boid} is at {found:?}; in the plain program it is at {expected:?}")]
    Differs { step: u32, boid: usize, found: [f32; 3], expected: [f32; 3] },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Differs { .. } | Self::Unsaved(_) => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("boids", simulation::run(&options), Failure::code)
}
