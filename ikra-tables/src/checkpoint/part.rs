//! One process's part of a checkpoint, and all parts as tables.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::{Array, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::try_fb_to_schema;
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::writer::FileWriter;
use arrow_ipc::{Block, root_as_footer};
use hashbrown::HashMap;
use ikra_core::bits::set;

use super::folder::{self, Name};
use super::manifest::{Hashing, Manifest};
use crate::error::{TableError, one_line};
use crate::export::REMOVED;
use crate::files::guarded;
use crate::import::Saved;
use crate::whole::{NewFile, file_error};

/// The rows of one batch of a file. Batches are read in parallel.
const ROWS: usize = 1 << 18;

/// A part, by the number of its process, counted from 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) rank: usize,
    pub(super) ranks: usize,
}

impl Part {
    fn manifest(self) -> String {
        format!("{}-of-{}.json", self.rank + 1, self.ranks)
    }

    fn file(self, class: &str) -> String {
        format!("{class}.{}-of-{}.arrow", self.rank + 1, self.ranks)
    }

    /// Writes the tables of classes, and at last the manifest.
    pub(super) fn write(
        self,
        folder: &Path,
        name: Name,
        state: String,
        tables: Vec<(&'static str, RecordBatch)>,
    ) -> Result<(), TableError> {
        fs::create_dir_all(folder).map_err(|error| file_error(folder, error))?;
        let mut manifest = Manifest::new(name, (self.rank, self.ranks), state);
        let mut files = Vec::new();
        for (class, batch) in tables {
            let mut file = NewFile::new(&folder.join(self.file(class)))?;
            file.write(|file| {
                let mut to = Hashing::new(file);
                encode(&batch, &mut to).map_err(one_line)?;
                manifest.classes.push(to.finish(class));
                Ok(())
            })?;
            files.push(file);
        }
        files.into_iter().try_for_each(NewFile::appear)?;
        folder::sync(folder)?;
        manifest.write(&folder.join(self.manifest()))?;
        folder::sync(folder)?;
        folder::sync(folder.parent().unwrap_or(folder))
    }
}

fn encode(batch: &RecordBatch, to: &mut impl std::io::Write) -> Result<(), arrow_schema::ArrowError> {
    let mut writer = FileWriter::try_new(to, batch.schema_ref())?;
    for first in (0..batch.num_rows()).step_by(ROWS) {
        writer.write(&batch.slice(first, ROWS.min(batch.num_rows() - first)))?;
    }
    writer.finish()
}

/// The number of parts, each of which has a manifest.
fn parts(folder: &Path) -> Option<usize> {
    let entries = fs::read_dir(folder).ok()?;
    let names = entries.flatten().filter_map(|entry| entry.file_name().into_string().ok());
    let numbers = names.filter_map(|name| name.strip_prefix("1-of-")?.strip_suffix(".json")?.parse().ok());
    let are_there = |&ranks: &usize| (0..ranks).all(|rank| folder.join(Part { rank, ranks }.manifest()).is_file());
    numbers.filter(|&ranks| ranks > 0).filter(are_there).max()
}

/// Whether a checkpoint was written to its end.
pub(super) fn is_whole(folder: &Path) -> bool {
    parts(folder).is_some()
}

fn unreadable(path: &Path, format: &'static str, reason: impl Into<String>) -> TableError {
    TableError::Unreadable { from: path.display().to_string(), format, reason: reason.into() }
}

/// Reads a checkpoint that is whole.
pub(super) fn read(folder: &Path, step: u64) -> Result<Saved, TableError> {
    let ranks = parts(folder).unwrap_or(0);
    let mut classes = HashMap::new();
    let mut common = None;
    for rank in 0..ranks {
        let part = Part { rank, ranks };
        let path = folder.join(part.manifest());
        let text = fs::read_to_string(&path).map_err(|error| file_error(&path, error))?;
        let manifest = Manifest::parse(&text).map_err(|reason| unreadable(&path, "manifest", reason))?;
        let own = (manifest.state, manifest.attempt);
        let is_another = common.as_ref().is_some_and(|common| *common != own);
        if is_another || (manifest.step, manifest.part, manifest.parts) != (step, rank, ranks) {
            return Err(unreadable(&path, "manifest", "it is that of another checkpoint, or of another part"));
        }
        common = Some(own);
        for file in manifest.classes {
            let path = folder.join(part.file(&file.class));
            let contents = fs::read(&path).map_err(|error| file_error(&path, error))?;
            if !file.is_of(&contents) {
                return Err(unreadable(&path, "Arrow", "its contents have changed since it was written"));
            }
            let (_, batches) = classes.entry(file.class).or_insert_with(|| (path.clone(), Vec::new()));
            batches.extend(decode(&path, contents)?);
        }
    }
    let state = common.map(|(state, _)| state).unwrap_or_default();
    let mut tables = HashMap::new();
    for (class, (path, batches)) in classes {
        let removed = removed(&path, &batches)?;
        tables.insert(class, (batches, removed));
    }
    Ok(Saved { from: folder.display().to_string(), state, tables })
}

/// The batches of a file. Their buffers are parts of its contents, so no length that a file claims is allocated.
fn decode(path: &Path, contents: Vec<u8>) -> Result<Vec<RecordBatch>, TableError> {
    const TRAILER: usize = 10;
    let from = path.display().to_string();
    let malformed = |error: &dyn std::fmt::Display| unreadable(path, "Arrow", one_line(error));
    guarded(&from, "Arrow", || {
        let end = contents.len().checked_sub(TRAILER).ok_or_else(|| malformed(&"it is too short"))?;
        let trailer = contents[end..].try_into().map_err(|error| malformed(&error))?;
        let footer = read_footer_length(trailer).map_err(|error| malformed(&error))?;
        let start = end.checked_sub(footer).ok_or_else(|| malformed(&"its footer is longer than the file"))?;
        let contents = Buffer::from_vec(contents);
        let footer = root_as_footer(&contents[start..end]).map_err(|error| malformed(&error))?;
        let schema = footer.schema().ok_or_else(|| malformed(&"it has no schema"))?;
        let schema = try_fb_to_schema(schema).map_err(|error| malformed(&error))?;
        let decoder = FileDecoder::new(Arc::new(schema), footer.version());
        let bytes = |block: &Block| {
            let range = (
                usize::try_from(block.offset()),
                usize::try_from(block.metaDataLength()),
                usize::try_from(block.bodyLength()),
            );
            let (Ok(start), Ok(metadata), Ok(body)) = range else { return None };
            let len = metadata.checked_add(body)?;
            (start.checked_add(len)? <= contents.len()).then(|| contents.slice_with_length(start, len))
        };
        let mut batches = Vec::new();
        for block in footer.recordBatches().into_iter().flatten() {
            let bytes = bytes(block).ok_or_else(|| malformed(&"it ends before its batches do"))?;
            batches.extend(decoder.read_record_batch(block, &bytes).map_err(|error| malformed(&error))?);
        }
        Ok(batches)
    })
}

/// The objects that were removed: one bit per row.
fn removed(path: &Path, batches: &[RecordBatch]) -> Result<Vec<u64>, TableError> {
    let (mut removed, mut first) = (Vec::new(), 0);
    for batch in batches {
        if let Some(column) = batch.column_by_name(REMOVED) {
            let bits = column.as_boolean_opt().filter(|bits| bits.null_count() == 0);
            let bits =
                bits.ok_or_else(|| unreadable(path, "Arrow", format!("column `{REMOVED}` has no truth values")))?;
            bits.values().set_indices().for_each(|row| set(&mut removed, first + row));
        }
        first += batch.num_rows();
    }
    Ok(removed)
}
