//! The energy after each step, as CSV.

use std::fs::File;
use std::path::Path;

use crate::Failure;

/// A CSV file with columns step, time, energy and drift.
pub(crate) struct EnergyLog {
    path: String,
    writer: csv::Writer<File>,
}

impl EnergyLog {
    /// Makes the file.
    pub(crate) fn create(path: &Path) -> Result<Self, Failure> {
        let name = path.display().to_string();
        let failure = |reason: String| Failure::Output { path: name.clone(), reason };
        let mut writer = csv::Writer::from_path(path).map_err(|error| failure(error.to_string()))?;
        writer.write_record(["step", "time", "energy", "drift"]).map_err(|error| failure(error.to_string()))?;
        Ok(Self { path: name, writer })
    }

    /// Adds a row.
    pub(crate) fn write(&mut self, step: u32, time: f64, energy: f64, drift: f64) -> Result<(), Failure> {
        let row = [step.to_string(), time.to_string(), energy.to_string(), drift.to_string()];
        let written = self.writer.write_record(row);
        written.map_err(|error| Failure::Output { path: self.path.clone(), reason: error.to_string() })
    }

    /// Writes what is still in memory.
    pub(crate) fn finish(mut self) -> Result<(), Failure> {
        self.writer.flush().map_err(|error| Failure::Output { path: self.path, reason: error.to_string() })
    }
}
