//! The energy after each step, as CSV.

use std::fmt::Display;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

use example_output::Output;

use crate::Failure;

/// A CSV file with columns step, time, energy and drift.
pub(crate) struct EnergyLog {
    path: String,
    file: BufWriter<File>,
}

impl EnergyLog {
    /// Begins the file.
    pub(crate) fn start(path: &Path, output: Output) -> Result<Self, Failure> {
        let mut log = Self { path: path.display().to_string(), file: BufWriter::new(output.start()?) };
        log.row("step", "time", "energy", "drift")?;
        Ok(log)
    }

    /// Adds a row.
    pub(crate) fn write(&mut self, step: u32, time: f64, energy: f64, drift: f64) -> Result<(), Failure> {
        self.row(step, time, energy, drift)
    }

    fn row(&mut self, a: impl Display, b: impl Display, c: impl Display, d: impl Display) -> Result<(), Failure> {
        let written = writeln!(self.file, "{a},{b},{c},{d}");
        written.map_err(|error| Failure::Log { path: self.path.clone(), reason: error.to_string() })
    }

    /// Writes what is still in memory.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.file.flush().map_err(|error| Failure::Log { path: self.path, reason: error.to_string() })
    }
}
