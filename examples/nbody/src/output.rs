//! The energy after each step, as CSV.

use std::fs::File;
use std::path::Path;

use example_output::Output;

use crate::Failure;

/// A CSV file with columns step, time, energy and drift.
pub(crate) struct EnergyLog {
    path: String,
    writer: csv::Writer<File>,
}

impl EnergyLog {
    /// Begins the file.
    pub(crate) fn start(path: &Path, output: Output) -> Result<Self, Failure> {
        let path = path.display().to_string();
        let mut writer = csv::Writer::from_writer(output.start()?);
        match writer.write_record(["step", "time", "energy", "drift"]) {
            Ok(()) => Ok(Self { path, writer }),
            Err(error) => Err(Failure::Log { path, reason: error.to_string() }),
        }
    }

    /// Adds a row.
    pub(crate) fn write(&mut self, step: u32, time: f64, energy: f64, drift: f64) -> Result<(), Failure> {
        let row = [step.to_string(), time.to_string(), energy.to_string(), drift.to_string()];
        let written = self.writer.write_record(row);
        written.map_err(|error| Failure::Log { path: self.path.clone(), reason: error.to_string() })
    }

    /// Writes what is still in memory.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| Failure::Log { path: self.path, reason: error.to_string() })
    }
}
