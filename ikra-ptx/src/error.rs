//! Reasons why a text is not understood.

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
