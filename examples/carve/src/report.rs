//! The headers as CSV, and the rate of the search.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::time::Duration;

use carve::{Match, Table};
use example_program::{Output, Rows, Unwritable, say};

const HEADER: &str = "start,name,position";

/// Where the headers go.
pub(crate) enum Report {
    File(Rows),
    StandardOutput,
}

impl Report {
    /// Begins the table, in a file or on standard output.
    pub(crate) fn begin(path: Option<&Path>) -> Result<Self, Unwritable> {
        match path {
            Some(path) => Ok(Self::File(Output::open(path)?.rows(HEADER)?)),
            None => say(&format!("{HEADER}\n")).map(|()| Self::StandardOutput),
        }
    }

    /// Whether the rows appear on a terminal.
    pub(crate) fn is_on_terminal(&self) -> bool {
        matches!(self, Self::StandardOutput) && io::stdout().is_terminal()
    }

    /// Adds rows.
    pub(crate) fn write(&mut self, table: &Table, matches: &[Match]) -> Result<(), Unwritable> {
        let mut rows = String::new();
        for found in matches {
            let name = quoted(table.signatures()[found.signature].name());
            // A string takes everything.
            let _ = writeln!(rows, "{},{name},{}", found.start, found.position);
        }
        match self {
            _ if rows.is_empty() => Ok(()),
            Self::File(file) => file.write(format_args!("{}", rows.trim_end())),
            Self::StandardOutput => say(&rows),
        }
    }

    /// Ends the table.
    pub(crate) fn finish(self) -> Result<(), Unwritable> {
        match self {
            Self::File(rows) => rows.finish(),
            Self::StandardOutput => Ok(()),
        }
    }
}

/// A cell of CSV.
fn quoted(name: &str) -> String {
    if name.contains([',', '"']) { format!("\"{}\"", name.replace('"', "\"\"")) } else { name.to_owned() }
}

/// A rate in millions of bytes per second.
pub(crate) fn rate(bytes: u64, time: Duration) -> String {
    format!("{:.0} MB/s", bytes as f64 / time.as_secs_f64().max(1e-9) / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells() {
        assert_eq!((quoted("a (b)"), quoted("a, \"b\"")), ("a (b)".to_owned(), "\"a, \"\"b\"\"\"".to_owned()));
    }

    #[test]
    fn rates() {
        assert_eq!(rate(3_000_000, Duration::from_millis(500)), "6 MB/s");
        assert_eq!(rate(0, Duration::ZERO), "0 MB/s");
    }
}
