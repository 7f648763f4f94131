//! Bodies from a CSV file.

use std::io;
use std::path::Path;

use example_program::read_text;

use crate::model::Body;

/// The errors of a file of bodies.
#[derive(Debug, thiserror::Error)]
pub(crate) enum InputError {
    #[error("{file}: cannot be read: {reason}")]
    Unreadable { file: String, reason: String },
    #[error("{file}:{line}: {what}")]
    Malformed { file: String, line: usize, what: String },
    #[error("{file}: no bodies; a row is {row}")]
    Empty { file: String, row: &'static str },
}

/// The columns of a row, for a number of dimensions.
fn columns(dims: u8) -> &'static str {
    if dims == 2 { "mass,x,y,vx,vy" } else { "mass,x,y,z,vx,vy,vz" }
}

/// Reads the bodies from a file.
pub(crate) fn read(path: &Path, dims: u8) -> Result<Vec<Body>, InputError> {
    let file = path.display().to_string();
    let text = read_text(path).and_then(|text| String::from_utf8(text).map_err(io::Error::other));
    match text {
        Ok(text) => parse(&text, &file, dims),
        Err(error) => Err(InputError::Unreadable { file, reason: error.to_string() }),
    }
}

/// Reads the bodies from a text. Numbers are never quoted, so each line is a row. Counting lines here includes blank
/// lines and comments in the line numbers.
fn parse(text: &str, file: &str, dims: u8) -> Result<Vec<Body>, InputError> {
    let mut bodies = Vec::new();
    let lines = text.lines().enumerate().map(|(n, line)| (n + 1, line.trim()));
    let mut rows = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#')).peekable();
    let is_header = |line: &str| line.split(',').map(str::trim).eq(columns(dims).split(','));
    rows.next_if(|(_, line)| is_header(line));
    for (line, text) in rows {
        let body = row(text, dims).map_err(|what| InputError::Malformed { file: file.to_owned(), line, what })?;
        bodies.push(body);
    }
    if bodies.is_empty() {
        return Err(InputError::Empty { file: file.to_owned(), row: columns(dims) });
    }
    Ok(bodies)
}

/// One body.
fn row(text: &str, dims: u8) -> Result<Body, String> {
    let names: Vec<&str> = columns(dims).split(',').collect();
    let texts: Vec<&str> = text.split(',').map(str::trim).collect();
    if texts.len() != names.len() {
        return Err(format!("{} values instead of {}: a row is {}", texts.len(), names.len(), columns(dims)));
    }
    let mut values = Vec::new();
    for (name, text) in names.iter().zip(texts) {
        let value: f64 = text.parse().map_err(|_| format!("{name} is {text:?}, which is not a number"))?;
        if !value.is_finite() {
            return Err(format!("{name} is {text}, which is not finite"));
        }
        values.push(value);
    }
    let mass = values[0];
    if mass <= 0.0 {
        return Err(format!("mass is {mass}; it must be greater than 0"));
    }
    let dims = usize::from(dims);
    let vector = |from: usize| {
        let mut vector = [0.0; 3];
        vector[..dims].copy_from_slice(&values[from..from + dims]);
        vector
    };
    Ok(Body::new(mass, vector(1), vector(1 + dims)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str, dims: u8) -> String {
        parse(text, "file.csv", dims).unwrap_err().to_string()
    }

    #[test]
    fn rows_with_and_without_a_header() {
        let with = parse("mass,x,y,z,vx,vy,vz\n1,2,3,4,5,6,7\n", "f", 3).unwrap();
        let without = parse("# two\n 1, 2,3,4,5,6,7\n", "f", 3).unwrap();
        assert_eq!(with, without);
        assert_eq!(with, [Body::new(1.0, [2.0, 3.0, 4.0], [5.0, 6.0, 7.0])]);
        let plane = parse("1,2,3,4,5", "f", 2).unwrap();
        assert_eq!(plane, [Body::new(1.0, [2.0, 3.0, 0.0], [4.0, 5.0, 0.0])]);
    }

    #[test]
    fn mistakes_name_file_and_line() {
        assert_eq!(
            error("1,2,3,4,5,6,7\n1,2,3\n", 3),
            "file.csv:2: 3 values instead of 7: a row is mass,x,y,z,vx,vy,vz"
        );
        assert_eq!(error("\n\n1,2,x,4,5\n", 2), "file.csv:3: y is \"x\", which is not a number");
        assert_eq!(error("1,2,NaN,4,5\n", 2), "file.csv:1: y is NaN, which is not finite");
        assert_eq!(error("1,2,inf,4,5\n", 2), "file.csv:1: y is inf, which is not finite");
        assert_eq!(error("mass,x,y,vx,vy\n-1,2,3,4,5\n", 2), "file.csv:2: mass is -1; it must be greater than 0");
        assert_eq!(error("0,2,3,4,5\n", 2), "file.csv:1: mass is 0; it must be greater than 0");
        assert_eq!(error("# nothing\n", 2), "file.csv: no bodies; a row is mass,x,y,vx,vy");
    }
}
