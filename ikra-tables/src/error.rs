//! Errors: which table, which column, which rows, and what to do.

use std::fmt;
use std::io;

use ikra_runtime::error::Error;

/// Errors of reading and writing tables. Each is one line.
///
/// ```
/// use ikra::{prelude::*, tables::{Import, Source, TableError}};
/// # #[soa_class] pub struct Body { pub mass: f32 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
///
/// let read = Import::<Sim>::new().table(Source::<Body>::csv("no such file.csv")).read();
/// assert!(matches!(read, Err(TableError::File { .. })));
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// A file or folder that cannot be opened, read or written.
    #[error("{path}: {error}; check that the path is right and that you may use it")]
    File {
        /// The path.
        path: String,
        /// The system's error.
        #[source]
        error: io::Error,
    },
    /// The contents of a file are not a table.
    #[error("{from} cannot be read: {reason}; check that it is a whole {format} file, and write it again if it is not")]
    Unreadable {
        /// The file.
        from: String,
        /// `Parquet`, `CSV` or `Arrow`.
        format: &'static str,
        /// The format's own error.
        reason: String,
    },
    /// A column is missing.
    #[error(
        "{from} has no column `{column}` for class {class}; it has {has}: name another column by `rename`, or give all objects one value by `fill`"
    )]
    MissingColumn {
        /// The table.
        from: String,
        /// The class.
        class: &'static str,
        /// The column.
        column: String,
        /// The columns that the table has.
        has: String,
    },
    /// Several columns have the name of a column that is read.
    #[error("{from} has several columns `{column}`, and class {class} reads one; give the others other names")]
    SameColumn {
        /// The table.
        from: String,
        /// The class.
        class: &'static str,
        /// The column.
        column: String,
    },
    /// Two fields would be read from one column.
    #[error(
        "{from}: fields `{}` and `{}` of class {class} both have a column `{column}`; give one of them another name, or name another column by `rename`",
        fields[0],
        fields[1]
    )]
    SharedColumn {
        /// The table.
        from: String,
        /// The class.
        class: &'static str,
        /// The column.
        column: String,
        /// The fields.
        fields: [&'static str; 2],
    },
    /// A column has values of a type that cannot be converted.
    #[error(
        "{from}: column `{column}` has values of type {found}, and class {class} needs {needed}; convert the column in the program that wrote it"
    )]
    WrongType {
        /// The table.
        from: String,
        /// The class.
        class: &'static str,
        /// The column.
        column: String,
        /// The type that the column has.
        found: String,
        /// The types that fit.
        needed: &'static str,
    },
    /// Some rows cannot become objects.
    #[error("{0}")]
    BadRows(BadRows),
    /// The world has objects of the class already.
    #[error("class {class} has objects already; read it into a world that has none of it")]
    NotEmpty {
        /// The class.
        class: &'static str,
    },
    /// Several classes of one name would be files of one name.
    #[error("the world has several classes called {class}, and one file cannot hold them; write them one by one")]
    SameName {
        /// The name.
        class: &'static str,
    },
    /// A link that names no object cannot be written.
    #[error(
        "`{class}::{field}` of the object in row {row} is a link to an object of class {target} that does not exist; store another link, or remove the object"
    )]
    BadLink {
        /// The class.
        class: &'static str,
        /// The field.
        field: &'static str,
        /// The object's row.
        row: usize,
        /// The class to which the link refers.
        target: &'static str,
    },
    /// A field is no key.
    #[error("`{class}::{field}` cannot be the key of its class: {reason}")]
    NoKey {
        /// The class.
        class: &'static str,
        /// The field.
        field: &'static str,
        /// Why not.
        reason: String,
    },
    /// A table could not be encoded.
    #[error("{path} cannot be written: {reason}")]
    Unwritable {
        /// The file, or the class.
        path: String,
        /// The format's own error.
        reason: String,
    },
    /// Another program has the folder with checkpoints open.
    #[error("{folder} is in use: another program writes checkpoints there; wait for its end, or name another folder")]
    InUse {
        /// The folder.
        folder: String,
    },
    /// The folder has checkpoints, and the program has not asked for the newest.
    #[error("{folder} has checkpoints of an earlier run: go on from them, by `newest`, or name another folder")]
    Used {
        /// The folder.
        folder: String,
    },
    /// Other processes have written their parts of a checkpoint to another place.
    #[error("{path} lacks the parts of other processes; name a folder that all of them share")]
    NotShared {
        /// The folder with the files of this process.
        path: String,
    },
    /// There is no checkpoint of this name, or it was not written to its end.
    #[error("{path} is no checkpoint, or was not written to its end; begin from another one")]
    NoCheckpoint {
        /// The folder with its files.
        path: String,
    },
    /// A checkpoint of a world with other classes.
    #[error("{path} is a checkpoint of another world: {reason}; begin from it with the program that wrote it")]
    OtherClasses {
        /// The folder with its files.
        path: String,
        /// The difference.
        reason: String,
    },
    /// An error of the world: too many objects, no memory, a device that fails.
    #[error(transparent)]
    World(#[from] Error),
}

/// The rows that are kept of an error; the others are counted.
const KEPT: usize = 20;

/// The rows of an import that cannot become objects: the first 20 of them, and how many there are.
///
/// ```
/// use ikra::{prelude::*, tables::{Import, Source, TableError}};
/// # #[soa_class] pub struct Body { pub mass: u8 }
/// # #[soa_world] pub struct Sim { pub bodies: Objects<Body> }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let path = std::env::temp_dir().join(format!("ikra-bad-rows-{}.csv", std::process::id()));
/// std::fs::write(&path, "mass\n1\n300\n2\n-1\n")?;
/// let read = Import::<Sim>::new().table(Source::<Body>::csv(&path)).read();
/// # std::fs::remove_file(&path)?;
/// let Err(TableError::BadRows(bad)) = read else { panic!() };
/// assert_eq!(bad.count(), 2);
/// assert_eq!(bad.rows()[0].row, 1);
/// assert_eq!(bad.rows()[0].problem, "`300` is no u8");
/// # Ok(()) }
/// ```
#[derive(Clone, Debug, Default)]
pub struct BadRows {
    rows: Vec<BadRow>,
    count: usize,
}

/// One value of a table that cannot be a value of a class.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BadRow {
    /// The table.
    pub from: String,
    /// The class.
    pub class: &'static str,
    /// The column.
    pub column: String,
    /// The row, counted from 0, without the header of a CSV file.
    pub row: usize,
    /// The problem: `empty`, ``no Street has the key `Elm` ``.
    pub problem: String,
}

impl BadRows {
    /// The first rows.
    #[must_use]
    pub fn rows(&self) -> &[BadRow] {
        &self.rows
    }

    /// The number of all such values.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Notes a row.
    pub(crate) fn add(&mut self, row: impl FnOnce() -> BadRow) {
        self.count += 1;
        if self.rows.len() < KEPT {
            self.rows.push(row());
        }
    }

    /// Notes the rows of a later part.
    pub(crate) fn join(&mut self, mut later: Self) {
        self.count += later.count;
        later.rows.truncate(KEPT - self.rows.len());
        self.rows.append(&mut later.rows);
    }

    /// An error, unless there are none.
    pub(crate) fn finish(self) -> Result<(), TableError> {
        if self.count == 0 { Ok(()) } else { Err(TableError::BadRows(self)) }
    }
}

impl fmt::Display for BadRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = if self.count == 1 { "1 value" } else { &format!("{} values", self.count) };
        write!(f, "{values} cannot be read, and nothing was: ")?;
        let mut before = None;
        for bad in &self.rows {
            let table = (&bad.from, bad.class);
            if before == Some(table) {
                f.write_str("; ")?;
            } else {
                let new = if before.is_some() { "; " } else { "" };
                write!(f, "{new}in {} for class {}, ", bad.from, bad.class)?;
                before = Some(table);
            }
            write!(f, "row {}, column `{}`: {}", bad.row, bad.column, bad.problem)?;
        }
        if self.count > self.rows.len() {
            write!(f, "; and {} more", self.count - self.rows.len())?;
        }
        f.write_str(". Rows count from 0; correct them in the table")
    }
}

/// A value in a message: on one line, and short.
pub(crate) fn shown(text: &str) -> String {
    let mut shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        shown.push('…');
    }
    shown
}

/// The message of a library's error, on one line.
pub(crate) fn one_line(error: impl fmt::Display) -> String {
    let text = error.to_string();
    let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = line.char_indices().nth(400) {
        line.truncate(end);
        line.push('…');
    }
    line
}
