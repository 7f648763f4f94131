//! Files that appear when they are whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::error::TableError;

/// A file that is written under another name. Dropping it removes it; [`appear`](Self::appear) gives it its name.
pub(crate) struct NewFile {
    file: Option<BufWriter<File>>,
    temporary: PathBuf,
    path: PathBuf,
    is_there: bool,
}

pub(crate) fn file_error(path: &Path, error: io::Error) -> TableError {
    TableError::File { path: path.display().to_string(), error }
}

impl NewFile {
    pub(crate) fn new(path: &Path) -> Result<Self, TableError> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let Some(name) = path.file_name() else {
            return Err(file_error(path, io::Error::new(io::ErrorKind::InvalidInput, "this is no name of a file")));
        };
        let mut temporary = OsString::from(".");
        temporary.push(name);
        temporary.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Relaxed)));
        let temporary = path.with_file_name(temporary);
        let file = File::create_new(&temporary).map_err(|error| file_error(&temporary, error))?;
        Ok(Self { file: Some(BufWriter::new(file)), temporary, path: path.to_owned(), is_there: false })
    }

    /// Writes the contents, to the disk.
    pub(crate) fn write(
        &mut self,
        write: impl FnOnce(&mut BufWriter<File>) -> Result<(), String>,
    ) -> Result<(), TableError> {
        let Some(mut file) = self.file.take() else { return Ok(()) };
        write(&mut file).map_err(|reason| TableError::Unwritable { path: self.path.display().to_string(), reason })?;
        file.flush().and_then(|()| file.get_ref().sync_all()).map_err(|error| file_error(&self.path, error))
    }

    /// Replaces the file that had the name before.
    pub(crate) fn appear(mut self) -> Result<(), TableError> {
        fs::rename(&self.temporary, &self.path).map_err(|error| file_error(&self.path, error))?;
        self.is_there = true;
        Ok(())
    }
}

impl Drop for NewFile {
    fn drop(&mut self) {
        if !self.is_there {
            self.file = None;
            // Nothing depends on it.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}
