//! Tables in files and in memory, as batches.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_csv::reader::{Format as CsvFormat, ReaderBuilder};
use arrow_schema::{DataType, Field, Schema};
use bytes::Bytes;
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::columns::without_dictionaries;
use crate::error::{TableError, one_line};
use crate::whole::file_error;

/// The rows that are decoded at a time: their columns stay in the processor's caches until they are copied.
const BATCH: usize = 8192;

/// A table that is open.
pub(crate) enum Opened {
    Batches(Vec<RecordBatch>),
    /// Columns of texts, and the names of all columns.
    Csv(Vec<RecordBatch>, Vec<String>),
    Parquet {
        path: PathBuf,
        metadata: ArrowReaderMetadata,
    },
}

/// Runs code of a library for files, whose panics for malformed files become errors.
pub(crate) fn guarded<T>(
    from: &str,
    format: &'static str,
    work: impl FnOnce() -> Result<T, TableError>,
) -> Result<T, TableError> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("it is malformed");
        Err(TableError::Unreadable { from: from.to_owned(), format, reason: one_line(text) })
    })
}

fn unreadable(from: &str, format: &'static str) -> impl Fn(&dyn std::fmt::Display) -> TableError {
    move |error| TableError::Unreadable { from: from.to_owned(), format, reason: one_line(error) }
}

impl Opened {
    pub(crate) fn parquet(path: &Path) -> Result<Self, TableError> {
        let from = path.display().to_string();
        let file = Part::open(path)?;
        let metadata = guarded(&from, "Parquet", || {
            // Columns as Parquet has them, not as the program had them that wrote the file.
            let options = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
            ArrowReaderMetadata::load(&file, options).map_err(|error| unreadable(&from, "Parquet")(&error))
        })?;
        Ok(Self::Parquet { path: path.to_owned(), metadata })
    }

    /// Reads the wanted columns of a CSV file, as texts: so that all values that are no numbers can be listed.
    pub(crate) fn csv(path: &Path, wanted: &[String]) -> Result<Self, TableError> {
        let from = path.display().to_string();
        let unreadable = unreadable(&from, "CSV");
        let open = || Part::open(path).map(|part| BufReader::new(part.file));
        let mut start = open()?;
        // A mark of UTF-8, which spreadsheets write, is no part of the first name.
        let mut mark = [0; 3];
        let has_mark = start.read_exact(&mut mark).is_ok() && mark == [0xef, 0xbb, 0xbf];
        let open = || {
            let mut file = open()?;
            if has_mark {
                io::copy(&mut file.by_ref().take(3), &mut io::sink()).map_err(|error| file_error(path, error))?;
            }
            Ok::<_, TableError>(file)
        };
        guarded(&from, "CSV", || {
            let format = CsvFormat::default().with_header(true);
            let (header, _) = format.infer_schema(open()?, Some(0)).map_err(|error| unreadable(&error))?;
            let names: Vec<String> = header.fields().iter().map(|field| field.name().clone()).collect();
            if names.is_empty() {
                return Err(unreadable(&"it is empty, without a line of the columns' names"));
            }
            let fields = names.iter().map(|name| Field::new(name, DataType::Utf8, true));
            let schema = Schema::new(fields.collect::<Vec<_>>());
            let places = schema.fields().iter().enumerate();
            let of_class = places.filter(|(_, field)| wanted.contains(field.name()));
            let mut places: Vec<_> = of_class.map(|(place, _)| place).collect();
            if places.is_empty() {
                // A column of texts, for the number of rows, and for the message of a missing column.
                places.push(0);
            }
            let mut file = Quotes::of(open()?);
            let reader = ReaderBuilder::new(Arc::new(schema))
                .with_header(true)
                .with_batch_size(BATCH)
                .with_projection(places)
                .build(&mut file)
                .map_err(|error| unreadable(&error))?;
            let batches = reader.collect::<Result<Vec<_>, _>>();
            // An error may be that of a row after it, which the value took in. So the rest of the file is looked at too.
            io::copy(&mut file, &mut io::sink()).map_err(|error| file_error(path, error))?;
            if let Some(line) = file.open_line() {
                return Err(unreadable(&format!("the quote that begins a value in line {line} is not closed")));
            }
            Ok(Self::Csv(batches.map_err(|error| unreadable(&error))?, names))
        })
    }

    /// The number of rows of each part, as the file says.
    pub(crate) fn parts(&self, from: &str) -> Result<Vec<usize>, TableError> {
        match self {
            Self::Batches(batches) | Self::Csv(batches, _) => Ok(batches.iter().map(RecordBatch::num_rows).collect()),
            Self::Parquet { metadata, .. } => {
                let groups = metadata.metadata().row_groups().iter();
                let rows = groups.map(|group| {
                    let rows = group.num_rows();
                    usize::try_from(rows)
                        .map_err(|_| unreadable(from, "Parquet")(&format!("a row group of {rows} rows")))
                });
                rows.collect()
            }
        }
    }

    /// Calls `with` for each batch of a part.
    pub(crate) fn read(
        &self,
        from: &str,
        part: usize,
        wanted: &[String],
        mut with: impl FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        let (path, metadata) = match self {
            Self::Batches(batches) => return with(&without_dictionaries(&batches[part], wanted)),
            Self::Csv(batches, _) => return with(&batches[part]),
            // Columns as Parquet has them have no dictionaries.
            Self::Parquet { path, metadata } => (path, metadata),
        };
        let unreadable = unreadable(from, "Parquet");
        // Each part opens the file: threads that share one would move each other's position.
        let file = Part::open(path)?;
        let mut reader = guarded(from, "Parquet", || {
            let schema = metadata.parquet_schema();
            let columns = schema.root_schema().get_fields().iter().enumerate();
            let of_class = columns.filter(|(_, column)| wanted.iter().any(|name| name == column.name()));
            let mask = ProjectionMask::roots(schema, of_class.map(|(place, _)| place).collect::<Vec<_>>());
            ParquetRecordBatchReaderBuilder::new_with_metadata(file, metadata.clone())
                .with_row_groups(vec![part])
                .with_projection(mask)
                .with_batch_size(BATCH)
                .build()
                .map_err(|error| unreadable(&error))
        })?;
        loop {
            match guarded(from, "Parquet", || reader.next().transpose().map_err(|error| unreadable(&error)))? {
                Some(batch) => with(&batch)?,
                None => return Ok(()),
            }
        }
    }

    pub(crate) fn is_csv(&self) -> bool {
        matches!(self, Self::Csv(..))
    }

    /// The names of all columns of a part.
    pub(crate) fn names(&self, part: usize) -> Vec<String> {
        let names = |schema: &Schema| schema.fields().iter().map(|field| field.name().clone()).collect();
        match self {
            Self::Batches(batches) => batches.get(part).map_or(Vec::new(), |batch| names(batch.schema_ref())),
            Self::Csv(_, names) => names.clone(),
            Self::Parquet { metadata, .. } => names(metadata.schema()),
        }
    }
}

/// A CSV file that is read from its start, and whether a value in quotes has ended. The CSV crate ends it with the file: all rows
/// after the quote would be part of the value.
struct Quotes<R> {
    file: R,
    at: Place,
    /// The number of the line that is being read.
    line: usize,
    /// The line of the last quote that begins a value.
    begins: usize,
}

/// A place in a CSV file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before a value.
    Start,
    Value,
    InQuotes,
    /// After a quote in quotes: the last one, or the first of two that are one.
    AfterQuote,
}

impl<R> Quotes<R> {
    fn of(file: R) -> Self {
        Self { file, at: Place::Start, line: 1, begins: 1 }
    }

    /// The line of the quote that is not closed so far.
    fn open_line(&self) -> Option<usize> {
        (self.at == Place::InQuotes).then_some(self.begins)
    }

    fn pass(&mut self, bytes: &[u8]) {
        if !bytes.contains(&b'"') {
            // The usual case, without a look at each byte.
            if let Some(last) = bytes.last().filter(|_| self.at != Place::InQuotes) {
                self.at = if b",\n\r".contains(last) { Place::Start } else { Place::Value };
            }
            self.line += bytes.iter().filter(|&&byte| byte == b'\n').count();
            return;
        }
        for &byte in bytes {
            self.at = match (self.at, byte) {
                (Place::Start, b'"') => {
                    self.begins = self.line;
                    Place::InQuotes
                }
                (Place::InQuotes, b'"') => Place::AfterQuote,
                (Place::InQuotes, _) | (Place::AfterQuote, b'"') => Place::InQuotes,
                (_, b',' | b'\n' | b'\r') => Place::Start,
                _ => Place::Value,
            };
            self.line += usize::from(byte == b'\n');
        }
    }
}

impl<R: Read> Read for Quotes<R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(to)?;
        self.pass(&to[..read]);
        Ok(read)
    }
}

/// A file that is read in pieces, none of which is longer than the file: a malformed file may name any length, for which
/// there is no memory.
struct Part {
    file: File,
    len: u64,
}

impl Part {
    fn open(path: &Path) -> Result<Self, TableError> {
        // Before it is opened: that would wait for the other end of a pipe.
        let metadata = fs::metadata(path).map_err(|error| file_error(path, error))?;
        if metadata.is_dir() {
            return Err(file_error(path, io::Error::from(io::ErrorKind::IsADirectory)));
        }
        if !metadata.is_file() {
            const REASON: &str = "this is a pipe or a device, and a table is read more than once; copy it into a file, \
                                  or read it into batches for `Source::batches`";
            return Err(file_error(path, io::Error::new(io::ErrorKind::InvalidInput, REASON)));
        }
        let file = File::open(path).map_err(|error| file_error(path, error))?;
        let len = file.metadata().map_err(|error| file_error(path, error))?.len();
        Ok(Self { file, len })
    }

    fn check(&self, start: u64, length: u64) -> Result<(), ParquetError> {
        match start.checked_add(length) {
            Some(end) if end <= self.len => Ok(()),
            _ => Err(ParquetError::EOF(format!("{length} bytes from byte {start} on, of a file of {}", self.len))),
        }
    }
}

impl Length for Part {
    fn len(&self) -> u64 {
        self.len
    }
}

impl ChunkReader for Part {
    type T = BufReader<File>;

    fn get_read(&self, start: u64) -> Result<BufReader<File>, ParquetError> {
        self.check(start, 0)?;
        self.file.get_read(start)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        self.check(start, length as u64)?;
        self.file.get_bytes(start, length)
    }
}
