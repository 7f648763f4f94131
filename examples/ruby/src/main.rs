//! The example program of Ikra-Ruby: streets and actors in `Rc`s, traced into a world and back.
#![forbid(unsafe_code)]

mod check;
mod city;
mod model;
mod options;
mod plain;
mod simulation;

use std::process::ExitCode;

use clap::Parser;

use example_program::{ThreadsError, Unwritable};
use ikra::trace::TraceError;
use options::Options;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("{name} differs from that of the plain program")]
    Street { name: String },
    #[error("actor {number} is {found}; in the plain program it is {expected}")]
    Actor { number: u32, found: String, expected: String },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) | Self::Trace(TraceError::World(error)) => example_program::error_code(error),
            Self::Trace(_) | Self::Street { .. } | Self::Actor { .. } => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("ruby", simulation::run(&options), Failure::code)
}
