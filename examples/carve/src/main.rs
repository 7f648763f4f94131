//! Finds the headers of files in the image of a disk.
#![forbid(unsafe_code)]

mod options;
mod report;

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use carve::check::{self, CheckError};
use carve::find::FindError;
use carve::made_up::MadeUp;
use carve::signatures::TableError;
use carve::{Match, Table};
use example_program::{Progress, ThreadsError, Unwritable};
use options::Options;
use report::Report;

/// The errors that end the program early.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error(transparent)]
    Table(#[from] TableError),
    #[error("{file}: cannot be read: {reason}")]
    Input { file: String, reason: io::Error },
    #[error("{file}: --check reads the image twice, and this can be read once only")]
    Once { file: String },
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    #[error(transparent)]
    Output(#[from] Unwritable),
    #[error(transparent)]
    Threads(#[from] ThreadsError),
    #[error("no automaton for these signatures: {0}")]
    Automaton(String),
    #[error("byte {position}: {found}, and {expected} by `aho-corasick`")]
    Different { position: u64, found: String, expected: String },
}

impl Failure {
    /// The program's exit code.
    fn code(&self) -> u8 {
        match self {
            Self::Table(_) | Self::Input { .. } | Self::Once { .. } => 2,
            Self::Threads(error) => error.code(),
            Self::Output(error) => error.code(),
            Self::Ikra(error) => example_program::error_code(error),
            Self::Automaton(_) | Self::Different { .. } => 1,
        }
    }
}

fn main() -> ExitCode {
    // Wrong options also end the program with code 2.
    let options = Options::parse();
    example_program::end("carve", run(&options), Failure::code)
}

fn run(options: &Options) -> Result<(), Failure> {
    let threads = options.machine.threads()?;
    let table = options.signatures.as_deref().map_or_else(|| Ok(Table::built_in()), Table::read)?;
    match &options.input {
        Some(path) => {
            let (_, length) = open(path)?;
            if options.check && length.is_none() {
                return Err(Failure::Once { file: path.display().to_string() });
            }
            let image = || open(path).map(|(file, _)| file);
            threads.install(|| search(options, &table, length, &path.display().to_string(), image))
        }
        None => {
            let image = || Ok(MadeUp::new(&table, options.size, options.seed));
            threads.install(|| search(options, &table, Some(options.size), "the made-up image", image))
        }
    }
}

/// Opens an image. The length of a pipe is not known.
fn open(path: &Path) -> Result<(File, Option<u64>), Failure> {
    let unreadable = |reason| Failure::Input { file: path.display().to_string(), reason };
    let mut file = File::open(path).map_err(unreadable)?;
    // The end of a block device is where one can seek to; its metadata do not have it.
    let length = file.seek(SeekFrom::End(0)).ok();
    if length.is_some() {
        file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    }
    Ok((file, length))
}

/// Searches the image that `open` opens.
fn search<R: Read + Send>(
    options: &Options,
    table: &Table,
    length: Option<u64>,
    name: &str,
    open: impl Fn() -> Result<R, Failure>,
) -> Result<(), Failure> {
    let mut report = Report::begin(options.out.as_deref())?;
    let mut progress = Progress::new("MiB", (length.unwrap_or(0) >> 20) as u32);
    // A small image takes little memory.
    let most = length.and_then(|length| usize::try_from(length).ok()).unwrap_or(usize::MAX);
    let piece = options.piece.min(most).max(1);
    let mut kept = Vec::new();
    let mut found = |searched: u64, matches: &[Match]| {
        if report.is_on_terminal() && !matches.is_empty() {
            progress.clear();
        }
        report.write(table, matches)?;
        if options.check {
            kept.extend_from_slice(matches);
        }
        if length.is_some() {
            progress.show((searched >> 20) as u32);
        }
        Ok(())
    };
    let image = open()?;
    let outcome = carve::find(table, image, piece, options.machine.place(), &mut found);
    progress.clear();
    let summary = outcome.map_err(|error| match error {
        FindError::Image(reason) => Failure::Input { file: name.to_owned(), reason },
        FindError::Ikra(error) => Failure::Ikra(error),
        FindError::Found(error) => Failure::Output(error),
    })?;
    report.finish()?;
    eprintln!(
        "{} headers in {} bytes; {}: {}, {} with reading",
        summary.matches,
        summary.bytes,
        summary.worker,
        report::rate(summary.bytes, summary.work),
        report::rate(summary.bytes, summary.time)
    );
    if options.check {
        let (expected, time) = check::search(table, open()?, piece).map_err(|error| match error {
            CheckError::Image(reason) => Failure::Input { file: name.to_owned(), reason },
            CheckError::Automaton(error) => Failure::Automaton(error.to_string()),
        })?;
        compare(table, &kept, &expected)?;
        let rate = report::rate(summary.bytes, time);
        eprintln!("the same headers as by `aho-corasick`, which took one thread: {rate}");
    }
    Ok(())
}

/// Fails at the first difference.
fn compare(table: &Table, found: &[Match], expected: &[Match]) -> Result<(), Failure> {
    let same = found.iter().zip(expected).take_while(|(a, b)| a == b).count();
    let (found, expected) = (found.get(same), expected.get(same));
    let Some(position) = found.into_iter().chain(expected).map(|header| header.position).min() else { return Ok(()) };
    let name = |header: Option<&Match>| match header.filter(|header| header.position == position) {
        Some(header) => table.signatures()[header.signature].name().to_owned(),
        None => "no header".to_owned(),
    };
    Err(Failure::Different { position, found: name(found), expected: name(expected) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_difference_is_reported() {
        let table = Table::parse(b"a,0,00\nb,0,01\n").unwrap();
        let header = |position, signature| Match { position, signature, start: position };
        let message = |found: &[Match], expected: &[Match]| compare(&table, found, expected).unwrap_err().to_string();
        let [a, b, later] = [header(3, 0), header(3, 1), header(5, 0)];
        assert!(compare(&table, &[a, later], &[a, later]).is_ok());
        assert_eq!(message(&[a, later], &[a]), "byte 5: a, and no header by `aho-corasick`");
        assert_eq!(message(&[a], &[a, later]), "byte 5: no header, and a by `aho-corasick`");
        assert_eq!(message(&[a], &[b]), "byte 3: a, and b by `aho-corasick`");
        assert_eq!(message(&[later], &[b]), "byte 3: no header, and b by `aho-corasick`");
    }
}
