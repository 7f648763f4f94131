//! Files that a program writes.

use std::fmt::{Arguments, Display};
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Seek, Write};
use std::path::{Path, PathBuf};

use crate::ranks::written;

/// A file that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("cannot write {}: {reason}", path.display())]
pub struct Unwritable {
    path: PathBuf,
    reason: String,
    is_taken: bool,
}

impl Unwritable {
    fn new(path: &Path, error: &io::Error) -> Self {
        Self { path: path.to_owned(), reason: error.to_string(), is_taken: false }
    }

    /// The program's exit code: 2 if several options name the file, as for other wrong options.
    #[must_use]
    pub fn code(&self) -> u8 {
        if self.is_taken { 2 } else { 1 }
    }
}

/// A file to be written later.
///
/// The file keeps its contents until then; a new file is removed if nothing is written.
///
/// ```
/// use example_program::Output;
/// use std::io::Write;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join(format!("result-{}", std::process::id()));
/// let output = Output::open(&path)?;
/// // … a long computation …
/// output.write(|file| writeln!(file, "42"))?;
/// assert_eq!(std::fs::read_to_string(&path)?, "42\n");
/// # std::fs::remove_file(path)?;
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Output {
    path: PathBuf,
    /// Set until the file is written.
    file: Option<File>,
    is_new: bool,
}

impl Output {
    /// Opens a file for writing.
    ///
    /// # Errors
    ///
    /// [`Unwritable`] if the system does not allow it, or if it is already open for writing, by this name or another.
    pub fn open(path: &Path) -> Result<Self, Unwritable> {
        let path = &written(path);
        let is_new = !path.exists();
        let unwritable = |error| Unwritable::new(path, &error);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path).map_err(unwritable)?;
        // Many programs may write to a terminal or to `/dev/null`. A system without locks reports another error.
        let is_file = file.metadata().map_err(unwritable)?.is_file();
        if is_file && matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            let reason =
                "something else is to be written there: another option names the file, or another program has it"
                    .to_owned();
            return Err(Unwritable { path: path.to_owned(), reason, is_taken: true });
        }
        Ok(Self { path: path.to_owned(), file: Some(file), is_new })
    }

    /// Begins a file of rows, which are written one by one.
    ///
    /// # Errors
    ///
    /// [`Unwritable`].
    pub fn rows(self, header: impl Display) -> Result<Rows, Unwritable> {
        let mut rows = Rows { path: self.path.clone(), file: BufWriter::new(self.start()?) };
        rows.write(format_args!("{header}"))?;
        Ok(rows)
    }

    /// The file, empty.
    fn start(mut self) -> Result<File, Unwritable> {
        let started = match self.file.take() {
            Some(file) => emptied(file),
            None => Err(io::Error::other("it is written already")),
        };
        started.map_err(|error| Unwritable::new(&self.path, &error))
    }

    /// Writes the whole file.
    ///
    /// # Errors
    ///
    /// [`Unwritable`].
    pub fn write(self, work: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>) -> Result<(), Unwritable> {
        let path = self.path.clone();
        let mut file = BufWriter::new(self.start()?);
        work(&mut file).and_then(|()| file.flush()).map_err(|error| Unwritable::new(&path, &error))
    }
}

/// Writes lines to standard output, whose reader may have closed it.
///
/// # Errors
///
/// [`Unwritable`].
pub fn say(lines: &str) -> Result<(), Unwritable> {
    let mut out = io::stdout().lock();
    let said = out.write_all(lines.as_bytes()).and_then(|()| out.flush());
    said.map_err(|error| Unwritable::new(Path::new("standard output"), &error))
}

/// A text file that grows by one row at a time.
#[derive(Debug)]
pub struct Rows {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Rows {
    /// Adds a row.
    ///
    /// # Errors
    ///
    /// [`Unwritable`].
    pub fn write(&mut self, row: Arguments<'_>) -> Result<(), Unwritable> {
        writeln!(self.file, "{row}").map_err(|error| Unwritable::new(&self.path, &error))
    }

    /// Writes what is still in memory.
    ///
    /// # Errors
    ///
    /// [`Unwritable`].
    pub fn finish(mut self) -> Result<(), Unwritable> {
        self.file.flush().map_err(|error| Unwritable::new(&self.path, &error))
    }
}

/// Removes the file's contents. Pipes and terminals have nothing to remove.
fn emptied(mut file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        file.set_len(0)?;
        file.rewind()?;
    }
    Ok(file)
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.is_new && self.file.take().is_some() {
            // An empty file that cannot be removed is left as it is.
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_not_written_is_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let (old, new) = (folder.path().join("old"), folder.path().join("new"));
        fs::write(&old, "long ago").unwrap();
        for path in [&old, &new] {
            drop(Output::open(path).unwrap());
        }
        assert_eq!(fs::read_to_string(&old).unwrap(), "long ago");
        assert!(!new.exists());
        for path in [&old, &new] {
            Output::open(path).unwrap().write(|file| write!(file, "now")).unwrap();
            assert_eq!(fs::read_to_string(path).unwrap(), "now");
        }
    }

    #[test]
    fn a_file_is_written_for_one_purpose() {
        let folder = tempfile::tempdir().unwrap();
        let (path, detour) = (folder.path().join("a"), folder.path().join(".").join("a"));
        let first = Output::open(&path).unwrap();
        let error = Output::open(&detour).unwrap_err();
        assert_eq!(error.code(), 2);
        assert!(error.to_string().contains("another option names the file"), "{error}");
        first.write(|file| write!(file, "first")).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "first");
        Output::open(&detour).unwrap().write(|file| write!(file, "second")).unwrap();
        let null = Path::new("/dev/null");
        if null.exists() {
            let _both = [null, null].map(|path| Output::open(path).unwrap());
        }
        assert_eq!(Output::open(folder.path()).unwrap_err().code(), 1);
    }

    #[test]
    fn rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log.csv");
        let mut rows = Output::open(&path).unwrap().rows("step,energy").unwrap();
        for step in 1..=2 {
            rows.write(format_args!("{step},{}", -0.5 * f64::from(step))).unwrap();
        }
        rows.finish().unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "step,energy\n1,-0.5\n2,-1\n");
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        for path in [folder.path().to_owned(), folder.path().join("no/such/folder")] {
            let message = Output::open(&path).unwrap_err().to_string();
            assert!(message.starts_with(&format!("cannot write {}: ", path.display())), "{message}");
        }
        let full = Path::new("/dev/full");
        if full.exists() {
            let message = Output::open(full).unwrap().write(|file| write!(file, "x")).unwrap_err().to_string();
            assert!(message.starts_with("cannot write /dev/full: "), "{message}");
            let message = Output::open(full).unwrap().rows("x").unwrap().finish().unwrap_err().to_string();
            assert!(message.starts_with("cannot write /dev/full: "), "{message}");
        }
    }
}
