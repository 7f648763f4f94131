//! The list of a part's files, with their lengths and hashes. A part without one was not written to its end.

use std::hash::Hasher;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use twox_hash::XxHash3_64;

use super::folder::Name;
use crate::error::{TableError, one_line};
use crate::whole::NewFile;

/// The version of the format.
const FORMAT: u32 = 1;

/// The manifest of a part.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) format: u32,
    pub(super) step: u64,
    /// The same in all parts of a checkpoint, and another one in each checkpoint. It is 0 in files of earlier versions.
    #[serde(default)]
    pub(super) attempt: u64,
    /// This part, counted from 0, and the number of parts.
    pub(super) part: usize,
    pub(super) parts: usize,
    /// The program's own text.
    pub(super) state: String,
    pub(super) classes: Vec<ClassFile>,
}

/// The file of a class.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ClassFile {
    pub(super) class: String,
    pub(super) bytes: u64,
    pub(super) hash: u64,
}

impl Manifest {
    pub(super) fn new(of: Name, (part, parts): (usize, usize), state: String) -> Self {
        Self { format: FORMAT, step: of.step, attempt: of.attempt, part, parts, state, classes: Vec::new() }
    }

    /// Writes a line of JSON, and its hash.
    pub(super) fn write(&self, path: &Path) -> Result<(), TableError> {
        let mut file = NewFile::new(path)?;
        file.write(|file| {
            let line = serde_json::to_string(self).map_err(one_line)?;
            writeln!(file, "{line}\n{:016x}", XxHash3_64::oneshot(line.as_bytes())).map_err(one_line)
        })?;
        file.appear()
    }

    /// Reads a manifest that [`write`](Self::write) wrote.
    ///
    /// # Errors
    ///
    /// The reason why the text is none.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let (line, hash) = text.trim_end().split_once('\n').ok_or("it ends too early")?;
        if hash != format!("{:016x}", XxHash3_64::oneshot(line.as_bytes())) {
            return Err("its contents have changed since it was written".to_owned());
        }
        let manifest: Self = serde_json::from_str(line).map_err(one_line)?;
        match manifest.format {
            FORMAT => Ok(manifest),
            format => Err(format!("it has format {format}, and this program reads format {FORMAT}")),
        }
    }
}

/// A writer that hashes what it writes.
pub(super) struct Hashing<W> {
    to: W,
    hash: XxHash3_64,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    pub(super) fn new(to: W) -> Self {
        Self { to, hash: XxHash3_64::new(), bytes: 0 }
    }

    /// The file of this class, whose contents were written.
    pub(super) fn finish(self, class: &str) -> ClassFile {
        ClassFile { class: class.to_owned(), bytes: self.bytes, hash: self.hash.finish() }
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.to.write(bytes)?;
        Hasher::write(&mut self.hash, &bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}

impl ClassFile {
    /// Whether these are the contents that were written.
    pub(super) fn is_of(&self, contents: &[u8]) -> bool {
        self.bytes == contents.len() as u64 && self.hash == XxHash3_64::oneshot(contents)
    }
}
