//! Filters: those with a name, and those in files.

use std::path::{Path, PathBuf};

use example_program::read_text;

use crate::model::Tap;

/// The largest distance of a pixel that a filter reads.
const MOST: usize = 32;

/// A filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The mean of the pixels in a square.
    Blur,
    /// The pixel against the mean of its neighbours.
    Sharpen,
    /// The differences from the four neighbours.
    Edges,
    /// Light from the upper left.
    Emboss,
    /// Rows of factors, in a file.
    File(PathBuf),
}

/// A file that is no filter.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// The system's reason.
    #[error("{}: cannot be read: {reason}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The reason.
        reason: std::io::Error,
    },
    /// A word that is not a number.
    #[error("{}:{line}: `{word}` is not a number: a line is a row of factors, as `0 -1 0`", path.display())]
    Word {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The word.
        word: String,
    },
    /// Not a square of factors around a pixel.
    #[error("{}: a filter has as many rows as columns, an odd number up to {most}; here are {rows} rows, and {columns} columns in row {row}", path.display(), most = 2 * MOST + 1)]
    Shape {
        /// The file.
        path: PathBuf,
        /// Its rows.
        rows: usize,
        /// The columns of one of them.
        columns: usize,
        /// That row, from 1.
        row: usize,
    },
}

impl Kind {
    /// Its factors, of pixels up to `radius` away; filters in files have a size of their own.
    ///
    /// # Errors
    ///
    /// [`Unreadable`].
    pub fn taps(&self, radius: u32) -> Result<Vec<Tap>, Unreadable> {
        let side = 2 * radius as usize + 1;
        let count = (side * side) as f32;
        let all = |weight: &dyn Fn(i32, i32) -> f32| {
            let around = -(radius as i32)..=radius as i32;
            let row = |dy: i32| around.clone().map(move |dx| (dx, dy));
            around.clone().flat_map(row).map(|(dx, dy)| Tap { dx, dy, weight: weight(dx, dy) }).collect()
        };
        Ok(match self {
            Self::Blur => all(&|_, _| 1.0 / count),
            Self::Sharpen => all(&|dx, dy| if (dx, dy) == (0, 0) { 2.0 - 1.0 / count } else { -1.0 / count }),
            Self::Edges => all(&|dx, dy| match (dx, dy) {
                (0, 0) => 4.0,
                _ if dx.abs() + dy.abs() == 1 => -1.0,
                _ => 0.0,
            }),
            Self::Emboss => all(&|dx, dy| if (dx, dy) == (0, 0) { 1.0 } else { (dx + dy).signum() as f32 / count }),
            Self::File(path) => return read(path),
        })
    }
}

/// The factors in a file: rows of numbers; `#` begins a comment.
fn read(path: &Path) -> Result<Vec<Tap>, Unreadable> {
    let text = read_text(path).map_err(|reason| Unreadable::File { path: path.to_owned(), reason })?;
    let mut rows: Vec<Vec<f32>> = Vec::new();
    for (n, line) in String::from_utf8_lossy(&text).lines().enumerate() {
        let words = line.split('#').next().unwrap_or_default().split_whitespace();
        let number =
            |word: &str| word.parse().ok().filter(|number: &f32| number.is_finite()).ok_or_else(|| word.to_owned());
        let row: Result<Vec<f32>, String> = words.map(number).collect();
        match row {
            Ok(row) if row.is_empty() => {}
            Ok(row) => rows.push(row),
            Err(word) => return Err(Unreadable::Word { path: path.to_owned(), line: n + 1, word }),
        }
    }
    let side = rows.len();
    let bad = rows.iter().position(|row| row.len() != side || side.is_multiple_of(2) || side > 2 * MOST + 1);
    if let Some(row) = bad.or((side == 0).then_some(0)) {
        let columns = rows.get(row).map_or(0, Vec::len);
        return Err(Unreadable::Shape { path: path.to_owned(), rows: side, columns, row: row + 1 });
    }
    let middle = (side / 2) as i32;
    let taps = rows.iter().enumerate().flat_map(|(y, row)| {
        row.iter().enumerate().map(move |(x, &weight)| Tap { dx: x as i32 - middle, dy: y as i32 - middle, weight })
    });
    Ok(taps.collect())
}
