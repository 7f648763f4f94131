//! Reasons why a text is not understood, or a program is not made.

use std::fmt;

/// The reason why a text is not understood, and the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The line of the text, from 1.
    pub line: u32,
    /// The part that is not understood.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for Error {}

/// The reason why a program cannot be made of another one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// The reason.
    pub reason: String,
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for Refused {}
