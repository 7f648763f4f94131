//! Text files with arbitrary contents.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// The longest text that is read, in bytes.
const MOST: u64 = 2 << 30;
/// How many bytes are checked before the rest is read.
const START: u64 = 64 << 10;

/// The bytes of a file of lines, which may be compressed by gzip.
///
/// The file may be a pipe, or a device without an end. If it is not text, or too long, this returns an error before the
/// memory is full.
///
/// # Errors
///
/// The system's error, or an error if the file is too long or does not contain lines.
pub fn read_text(path: &Path) -> io::Result<Vec<u8>> {
    read(File::open(path)?, MOST)
}

fn read(mut file: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    file.by_ref().take(START).read_to_end(&mut text)?;
    if !text.starts_with(&[0x1f, 0x8b]) && text.contains(&0) {
        return Err(io::Error::other("not a text"));
    }
    // One more byte shows that the file is too long.
    file.take((most + 1).saturating_sub(text.len() as u64)).read_to_end(&mut text)?;
    if text.len() as u64 > most {
        return Err(io::Error::other(format!("longer than {most} bytes")));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_without_an_end() {
        assert_eq!(read(io::repeat(0), MOST).unwrap_err().to_string(), "not a text");
        assert_eq!(read(io::repeat(b'1'), 1 << 20).unwrap_err().to_string(), "longer than 1048576 bytes");
    }

    #[test]
    fn texts() {
        for length in [0, 1, START as usize, START as usize + 1, 1 << 20] {
            let text = vec![b'7'; length];
            assert_eq!(read(&text[..], 1 << 20).unwrap(), text);
        }
        assert_eq!(read(&[0x1f, 0x8b, 0, 0][..], MOST).unwrap(), [0x1f, 0x8b, 0, 0]);
    }
}
