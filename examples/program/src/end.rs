//! How programs end.

use std::fmt::Display;
use std::process::ExitCode;

use ikra::{Error, gpu::GpuError};

/// Ends a program: a failure is one line, and an exit code that `code` chooses.
pub fn end<F: Display>(program: &str, result: Result<(), F>, code: impl FnOnce(&F) -> u8) -> ExitCode {
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{program}: {failure}");
            ExitCode::from(code(&failure))
        }
    }
}

/// The exit code for an error of Ikra: 3 if the program cannot run on the requested GPU, 2 if it needs more memory than
/// exists, and 1 otherwise.
///
/// ```
/// use ikra::prelude::*;
///
/// let error = ikra::Error::CapacityExceeded { class: "Body", capacity: 1, requested: 2 };
/// assert_eq!(example_program::error_code(&error), 1);
/// ```
#[must_use]
pub fn error_code(error: &Error) -> u8 {
    match error {
        Error::Gpu(GpuError::NoDevice { .. } | GpuError::NoDeviceCode { .. }) => 3,
        Error::OutOfMemory { .. } => 2,
        _ => 1,
    }
}
