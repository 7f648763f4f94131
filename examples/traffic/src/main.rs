//! Traffic flow on real street networks.
#![forbid(unsafe_code)]

mod diagram;
mod options;
mod picture;
mod run;

use std::process::ExitCode;

use clap::Parser;

use example_program::{ThreadsError, Unwritable};
use options::{Command, Options};
use streets::{InputError, NoMemory, NoPositions};
use traffic::{RoadsError, TrafficError, Violation};

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Input(#[from] InputError),
    #[error("{input}: {no_positions}; --png, --gif and --html need one")]
    NoMap { input: String, no_positions: NoPositions },
    #[error("{what}: {memory}; {less}")]
    NoMemory { what: &'static str, memory: NoMemory, less: &'static str },
    #[error("{input}: {reason}")]
    Roads { input: String, reason: RoadsError },
    #[error(transparent)]
    Traffic(#[from] TrafficError),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

impl From<ikra::Error> for Failure {
    fn from(error: ikra::Error) -> Self {
        Self::Traffic(error.into())
    }
}

impl From<Violation> for Failure {
    fn from(violation: Violation) -> Self {
        Self::Traffic(violation.into())
    }
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Input(_) | Self::NoMap { .. } | Self::NoMemory { .. } | Self::Roads { .. } => 2,
            Self::Traffic(
                TrafficError::Roads(_) | TrafficError::TooManyCars { .. } | TrafficError::NoMemory { .. },
            ) => 2,
            Self::Traffic(TrafficError::Ikra(error)) => example_program::error_code(error),
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Traffic(_) => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    let result = match &options.command {
        None => run::run(&options.run),
        Some(Command::Ring(ring)) => diagram::run(ring),
    };
    example_program::end("traffic", result, Failure::code)
}
