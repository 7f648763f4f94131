//! Signatures of files: the bytes at a place in the file by which its kind is known. Some are built in, others are read from
//! a CSV file.

mod parse;

use std::path::Path;

use crate::model::block::{BYTES, Block};
use crate::model::{self};

pub use parse::Mistake;

/// A kind of files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    name: String,
    offset: u64,
    /// Begins and ends with a byte.
    pattern: Vec<Option<u8>>,
}

impl Signature {
    /// A signature, whose pattern is `offset` bytes behind the start of a file; `None` stands for any byte. Returns nothing
    /// if all bytes are arbitrary.
    pub fn new(name: &str, offset: u64, pattern: &[Option<u8>]) -> Option<Self> {
        let first = pattern.iter().position(Option::is_some)?;
        let last = pattern.iter().rposition(Option::is_some)?;
        let offset = offset.checked_add(first as u64)?;
        Some(Self { name: name.to_owned(), offset, pattern: pattern[first..=last].to_vec() })
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where the pattern is in the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// The bytes; `None` stands for any. The first and the last are not arbitrary.
    pub fn pattern(&self) -> &[Option<u8>] {
        &self.pattern
    }

    /// Whether bytes begin with the pattern.
    pub fn is_at(&self, bytes: &[u8]) -> bool {
        bytes.len() >= self.pattern.len()
            && self.pattern.iter().zip(bytes).all(|(wanted, byte)| wanted.is_none_or(|wanted| wanted == *byte))
    }

    /// The longest part without arbitrary bytes, and where it begins in the pattern.
    pub fn longest_stretch(&self) -> (usize, Vec<u8>) {
        let mut longest = 0..0;
        let mut start = 0;
        for (n, byte) in self.pattern.iter().enumerate() {
            if byte.is_none() {
                start = n + 1;
            } else if n + 1 - start > longest.len() {
                longest = start..n + 1;
            }
        }
        (longest.start, self.pattern[longest].iter().copied().flatten().collect())
    }

    /// The object that stands for the first bytes of the pattern.
    pub fn object(&self) -> model::Signature {
        let (mut value, mut mask) = (0_u128, 0_u128);
        for (n, byte) in self.pattern.iter().take(BYTES).enumerate() {
            if let Some(byte) = byte {
                value |= u128::from(*byte) << (8 * n);
                mask |= 0xff << (8 * n);
            }
        }
        model::Signature { value: Block::of(value), mask: Block::of(mask) }
    }
}

/// The signatures for which an image is searched: at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table(Vec<Signature>);

/// The errors of a file of signatures.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file cannot be opened or read.
    #[error("{file}: cannot be read: {reason}")]
    Unreadable {
        /// The file.
        file: String,
        /// The system's error.
        reason: String,
    },
    /// The file is wrong.
    #[error("{file}:{mistake}")]
    Malformed {
        /// The file.
        file: String,
        /// The error, and where it is.
        mistake: Mistake,
    },
}

impl Table {
    /// The signatures that come with the program.
    pub fn built_in() -> Self {
        let parsed = Self::parse(include_bytes!("signatures.csv"));
        parsed.unwrap_or_else(|mistake| unreachable!("the table is right: {mistake}"))
    }

    /// Reads a CSV file: rows of a name, the offset of the pattern in the file, and its bytes in hexadecimal digits, with
    /// `??` for any byte. Names with commas are in quotes; lines that begin with `#` are comments.
    ///
    /// # Errors
    ///
    /// [`TableError`].
    pub fn read(path: &Path) -> Result<Self, TableError> {
        let file = path.display().to_string();
        let text = example_program::read_text(path)
            .map_err(|error| TableError::Unreadable { file: file.clone(), reason: error.to_string() })?;
        Self::parse(&text).map_err(|mistake| TableError::Malformed { file, mistake })
    }

    /// Reads the text of a CSV file.
    ///
    /// # Errors
    ///
    /// [`Mistake`].
    pub fn parse(text: &[u8]) -> Result<Self, Mistake> {
        parse::table(text).map(Self)
    }

    /// The signatures.
    pub fn signatures(&self) -> &[Signature] {
        &self.0
    }

    /// Bytes of the longest pattern.
    pub fn longest(&self) -> usize {
        self.0.iter().map(|signature| signature.pattern.len()).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signature(hex: &str) -> Signature {
        Table::parse(format!("a,3,{hex}").as_bytes()).unwrap().0.remove(0)
    }

    #[test]
    fn the_built_in_table() {
        let table = Table::built_in();
        let find = |name: &str| table.signatures().iter().find(|signature| signature.name == name).unwrap();
        assert_eq!(find("tar (ustar)").offset, 257);
        assert!(find("WAV").is_at(b"RIFF\x24\x00\x00\x00WAVEfmt "));
        assert!(!find("WAV").is_at(b"RIFF\x24\x00\x00\x00AVI LIST"));
        assert!(find("SQLite 3").is_at(b"SQLite format 3\0"));
        assert!(table.longest() > BYTES);
        for (n, signature) in table.signatures().iter().enumerate() {
            assert!(table.signatures()[..n].iter().all(|other| other.name != signature.name), "{}", signature.name);
            assert!(
                table.signatures()[..n].iter().all(|other| other.pattern != signature.pattern),
                "{}",
                signature.name
            );
        }
    }

    #[test]
    fn arbitrary_bytes_at_the_ends_do_not_count() {
        let signature = signature("?? ?? 61 ?? 62 ??");
        assert_eq!((signature.offset, signature.pattern.len()), (5, 3));
        assert!(signature.is_at(b"axb") && signature.is_at(b"a\0bc"));
        assert!(!signature.is_at(b"ax") && !signature.is_at(b"axc") && !signature.is_at(b""));
    }

    #[test]
    fn stretches() {
        assert_eq!(signature("61").longest_stretch(), (0, b"a".to_vec()));
        assert_eq!(signature("61 62 ?? 63 64 65 ?? 66").longest_stretch(), (3, b"cde".to_vec()));
        assert_eq!(signature("61 ?? 62").longest_stretch(), (0, b"a".to_vec()));
    }

    #[test]
    fn masks() {
        let object = signature("61 ?? 62 63 64").object();
        assert_eq!(object.value.words, [0x6362_0061, 0x64, 0, 0]);
        assert_eq!(object.mask.words, [0xffff_00ff, 0xff, 0, 0]);
        let object = signature(&"FF".repeat(20)).object();
        assert_eq!((object.value, object.mask.words), (object.mask, [u32::MAX; 4]));
    }
}
