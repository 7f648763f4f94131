//! Command-line options.

use std::path::PathBuf;

use clap::Parser;

use example_program::Machine;

/// The largest piece: it is in memory several times.
const MOST_PIECE: u64 = 4 << 30;

/// Finds the headers of files in the image of a disk.
#[derive(Clone, Debug, Parser)]
#[command(version)]
pub(crate) struct Options {
    /// The image. By default, one is made up.
    #[arg(long)]
    pub(crate) input: Option<PathBuf>,

    /// Bytes of the made-up image, which has a header in each block of 64 KiB: `1000`, `64MiB`, `4GiB`.
    #[arg(long, default_value = "64MiB", value_parser = bytes, conflicts_with = "input")]
    pub(crate) size: u64,

    /// Seed of the made-up image.
    #[arg(long, default_value_t = 1, conflicts_with = "input")]
    pub(crate) seed: u64,

    /// The signatures, as CSV: name, offset of the pattern in the file, bytes in hexadecimal digits with `??` for any. By
    /// default, those of some sixty kinds of files.
    #[arg(long)]
    pub(crate) signatures: Option<PathBuf>,

    /// Bytes of the image that are searched at a time.
    #[arg(long, default_value = "16MiB", value_parser = piece)]
    pub(crate) piece: usize,

    /// What to run on.
    #[command(flatten)]
    pub(crate) machine: Machine,

    /// Fail if `aho-corasick` does not find the same headers.
    #[arg(long)]
    pub(crate) check: bool,

    /// Write the headers to this file: a line for each, ordered by position. By default, to standard output.
    #[arg(long)]
    pub(crate) out: Option<PathBuf>,
}

/// A number of bytes with its unit.
fn bytes(text: &str) -> Result<u64, String> {
    let units = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40)];
    let unit = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)));
    let (number, shift) = unit.unwrap_or((text, 0));
    number
        .trim()
        .parse()
        .ok()
        .and_then(|number: u64| number.checked_mul(1 << shift))
        .ok_or_else(|| "a number of bytes is a whole number, perhaps with KiB, MiB, GiB or TiB".to_owned())
}

/// A number of bytes that fits into memory.
fn piece(text: &str) -> Result<usize, String> {
    match bytes(text)? {
        bytes @ 1..=MOST_PIECE => usize::try_from(bytes).map_err(|error| error.to_string()),
        _ => Err("from 1 to 4GiB".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_bytes() {
        assert_eq!([bytes("0"), bytes("17"), bytes("2KiB"), bytes("3 MiB")], [Ok(0), Ok(17), Ok(2048), Ok(3 << 20)]);
        assert_eq!([bytes("4GiB"), bytes("1TiB")], [Ok(4 << 30), Ok(1 << 40)]);
        for wrong in ["", "MiB", "-1", "1.5MiB", "1MB", "99999999999TiB"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
        assert_eq!(piece("1"), Ok(1));
        assert!(piece("0").is_err() && piece("5GiB").is_err());
    }
}
