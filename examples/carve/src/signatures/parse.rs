//! Reads signatures from CSV.

use std::fmt::{self, Display, Formatter};

use super::Signature;

/// Longer patterns are a mistake.
const MOST_BYTES: usize = 1024;
/// More signatures are a mistake: an image is compared with each.
const MOST_SIGNATURES: usize = 65_536;
const HEADER: &str = "name,offset,hex";

/// An error in a file of signatures, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mistake {
    /// Counted from 1; 0 if the error is not in a line.
    pub line: usize,
    /// In characters, counted from 1.
    pub column: usize,
    /// The error.
    pub what: String,
}

impl Display for Mistake {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.line > 0 {
            write!(f, "{}:{}:", self.line, self.column)?;
        }
        write!(f, " {}", self.what)
    }
}

/// A line, and how much of it has been read.
struct Line<'a> {
    text: &'a str,
    number: usize,
    at: usize,
}

impl<'a> Line<'a> {
    /// An error at a byte of the line.
    fn mistake(&self, at: usize, what: impl Into<String>) -> Mistake {
        Mistake { line: self.number, column: self.text[..at].chars().count() + 1, what: what.into() }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Goes on behind a comma.
    fn comma(&mut self, next: &str) -> Result<(), Mistake> {
        if !self.rest().starts_with(',') {
            return Err(self.mistake(self.at, format!("no comma, and no {next} behind it: a line is {HEADER}")));
        }
        self.at += 1;
        Ok(())
    }

    /// A name, which may be in quotes.
    fn name(&mut self) -> Result<String, Mistake> {
        let start = self.at;
        let name = if self.rest().starts_with('"') { self.quoted()? } else { self.cell().to_owned() };
        if name.trim().is_empty() { Err(self.mistake(start, "no name")) } else { Ok(name.trim().to_owned()) }
    }

    /// A text in quotes; two of them stand for one.
    fn quoted(&mut self) -> Result<String, Mistake> {
        let start = self.at;
        let mut text = String::new();
        loop {
            self.at += 1;
            let Some(end) = self.rest().find('"') else { return Err(self.mistake(start, "a quote without an end")) };
            text += &self.rest()[..end];
            self.at += end + 1;
            if !self.rest().starts_with('"') {
                return Ok(text);
            }
            text.push('"');
        }
    }

    /// The text up to the next comma.
    fn cell(&mut self) -> &'a str {
        let rest = self.rest();
        let cell = &rest[..rest.find(',').unwrap_or(rest.len())];
        self.at += cell.len();
        cell
    }

    fn offset(&mut self) -> Result<u64, Mistake> {
        let start = self.at;
        let cell = self.cell().trim();
        cell.parse().map_err(|_| self.mistake(start, format!("{cell:?} is not an offset: a number from 0 to 2⁶⁴ − 1")))
    }

    /// Pairs of digits or question marks, to the end of the line. Spaces may separate them.
    fn pattern(&mut self) -> Result<Vec<Option<u8>>, Mistake> {
        let start = self.at;
        let mut pattern = Vec::new();
        while let Some(first) = self.rest().chars().next() {
            if first.is_whitespace() {
                self.at += first.len_utf8();
                continue;
            }
            let pair: String = self.rest().chars().take(2).collect();
            let byte = match pair.as_str() {
                "??" => None,
                // A sign would be part of a number, too.
                digits if digits.len() == 2 && digits.chars().all(|digit| digit.is_ascii_hexdigit()) => {
                    u8::from_str_radix(digits, 16).ok()
                }
                _ => {
                    let what = format!("{pair:?} is not a byte: two hexadecimal digits, or ?? for any");
                    return Err(self.mistake(self.at, what));
                }
            };
            self.at += pair.len();
            pattern.push(byte);
        }
        match pattern.len() {
            0 => Err(self.mistake(start, "no bytes")),
            length if length > MOST_BYTES => {
                Err(self.mistake(start, format!("{length} bytes are too many: at most {MOST_BYTES}")))
            }
            _ => Ok(pattern),
        }
    }

    /// The signature of the line.
    fn signature(mut self) -> Result<Signature, Mistake> {
        let name = self.name()?;
        self.comma("offset")?;
        let offset_at = self.at;
        let offset = self.offset()?;
        self.comma("bytes")?;
        let start = self.at;
        let pattern = self.pattern()?;
        if pattern.iter().all(Option::is_none) {
            return Err(self.mistake(start, "all bytes are arbitrary, so every place would match"));
        }
        Signature::new(&name, offset, &pattern).ok_or_else(|| self.mistake(offset_at, "the offset is too large"))
    }
}

/// The signatures of a text.
pub(super) fn table(text: &[u8]) -> Result<Vec<Signature>, Mistake> {
    let mut signatures = Vec::new();
    let mut is_first = true;
    for (n, line) in text.split(|&byte| byte == b'\n').enumerate() {
        let number = n + 1;
        let line = match str::from_utf8(line) {
            Ok(line) => line.strip_suffix('\r').unwrap_or(line),
            Err(error) => {
                let column = String::from_utf8_lossy(&line[..error.valid_up_to()]).chars().count() + 1;
                return Err(Mistake { line: number, column, what: "not a text in UTF-8".to_owned() });
            }
        };
        if line.trim().is_empty() || line.starts_with('#') {
            continue;
        }
        if !std::mem::take(&mut is_first) || line != HEADER {
            let line = Line { text: line, number, at: 0 };
            if signatures.len() == MOST_SIGNATURES {
                return Err(line.mistake(0, format!("more than {MOST_SIGNATURES} signatures")));
            }
            signatures.push(line.signature()?);
        }
    }
    if signatures.is_empty() {
        return Err(Mistake { line: 0, column: 0, what: format!("no signatures; a line is {HEADER}") });
    }
    Ok(signatures)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(text: &[u8]) -> String {
        table(text).unwrap_err().to_string()
    }

    #[test]
    fn tables() {
        let found = table(b"# a comment\r\nname,offset,hex\r\n\r\n\"a, \"\"b\"\"\", 7 ,4d5A ??01 \nc,0,ff").unwrap();
        let expected = [
            Signature::new("a, \"b\"", 7, &[Some(0x4d), Some(0x5a), None, Some(1)]),
            Signature::new("c", 0, &[Some(0xff)]),
        ];
        assert_eq!(found, expected.map(Option::unwrap));
    }

    #[test]
    fn mistakes_name_line_and_column() {
        assert_eq!(mistake(b""), " no signatures; a line is name,offset,hex");
        assert_eq!(mistake(b"name,offset,hex\n"), " no signatures; a line is name,offset,hex");
        assert_eq!(mistake(b"a"), "1:2: no comma, and no offset behind it: a line is name,offset,hex");
        assert_eq!(mistake(b"a,0"), "1:4: no comma, and no bytes behind it: a line is name,offset,hex");
        assert_eq!(mistake(b"\na,0,"), "2:5: no bytes");
        assert_eq!(mistake(b" ,0,00"), "1:1: no name");
        assert_eq!(mistake(b"\"\",0,00"), "1:1: no name");
        assert_eq!(mistake(b"\"a,0,00"), "1:1: a quote without an end");
        assert_eq!(mistake(b"\"a\"b,0,00"), "1:4: no comma, and no offset behind it: a line is name,offset,hex");
        assert_eq!(mistake(b"a,-1,00"), "1:3: \"-1\" is not an offset: a number from 0 to 2⁶⁴ − 1".to_owned());
        assert_eq!(mistake(b"a,18446744073709551615,??00"), "1:3: the offset is too large");
        assert_eq!(mistake("ä,0,00 4".as_bytes()), "1:8: \"4\" is not a byte: two hexadecimal digits, or ?? for any");
        assert_eq!(mistake(b"a,0,00 4?"), "1:8: \"4?\" is not a byte: two hexadecimal digits, or ?? for any");
        assert_eq!(mistake(b"a,0,+1"), "1:5: \"+1\" is not a byte: two hexadecimal digits, or ?? for any");
        assert_eq!(mistake(b"a,0,00,"), "1:7: \",\" is not a byte: two hexadecimal digits, or ?? for any");
        assert_eq!(mistake(b"a,0,0\xc3\xa4"), "1:5: \"0ä\" is not a byte: two hexadecimal digits, or ?? for any");
        assert_eq!(mistake(b"a,0,?? ??"), "1:5: all bytes are arbitrary, so every place would match");
        assert_eq!(mistake(b"a,0,00\nb\xff,0,00"), "2:2: not a text in UTF-8");
        let long = format!("a,0,{}", "00".repeat(1025));
        assert_eq!(mistake(long.as_bytes()), "1:5: 1025 bytes are too many: at most 1024");
    }
}
