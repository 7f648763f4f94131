//! Cars, buses, cyclists and pedestrians in a street network.
#![forbid(unsafe_code)]

mod model;
mod options;
mod picture;
mod simulation;
mod town;

use std::process::ExitCode;

use clap::Parser;

use example_program::{ThreadsError, Unwritable};
use options::Options;
use streets::{InputError, NoPositions};

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{file}: {no_positions}; --png, --gif and --html need one")]
    NoMap { file: String, no_positions: NoPositions },
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("after tick {tick}, there are {found} actors on the streets instead of {expected}")]
    Lost { tick: u32, found: u64, expected: u64 },
    #[error("after tick {tick}, an actor is past the end of its street, or on one that is closed to it")]
    OffStreet { tick: u32 },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::NoMap { .. } => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            _ => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("actors", simulation::run(&options), Failure::code)
}
