//! Wolves, sheep and grass.
#![forbid(unsafe_code)]

mod chart;
mod options;
mod page;
mod picture;
mod run;

use std::process::ExitCode;

use clap::Parser;
use example_program::{ThreadsError, Unwritable};
use options::Options;
use wolfsheep::Counts;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("{option} {value}: {reason}")]
    Option { option: &'static str, value: String, reason: String },
    #[error("step {step}: {found}; a sequential program with the same random numbers has {expected}")]
    Differs { step: u32, found: Counts, expected: Counts },
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Option { .. } => 2,
            Self::Differs { .. } => 1,
            Self::Ikra(error) => example_program::error_code(error),
            Self::Output(error) => error.code(),
            Self::Threads(error) => error.code(),
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("wolfsheep", run::run(&options), Failure::code)
}
