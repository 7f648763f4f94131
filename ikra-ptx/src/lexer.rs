//! Words, numbers and signs of a text.

use crate::error::Error;
use crate::program::Bits;

/// A word, a number or a sign.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Token<'t> {
    /// `%r1`, `$L__BB0_1`, `add`
    Word(&'t str),
    /// `global` of `.global`; `shared::cta` is one, too.
    Dotted(&'t str),
    Integer(i128),
    Float(Bits),
    /// The text between quotation marks.
    Text(&'t str),
    /// A comment for tools, verbatim.
    Annotation(&'t str),
    Sign(char),
    End,
}

/// A token and its line.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed<'t> {
    pub(crate) token: Token<'t>,
    pub(crate) line: u32,
    /// Its position in the text.
    pub(crate) start: usize,
}

/// The tokens of a text, one after the other.
pub(crate) struct Lexer<'t> {
    text: &'t str,
    at: usize,
    line: u32,
}

impl<'t> Lexer<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0, line: 1 }
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.text.as_bytes().get(self.at + ahead).copied().unwrap_or(0)
    }

    fn error(&self, message: impl Into<String>) -> Error {
        Error { line: self.line, message: message.into() }
    }

    /// The rest of the current line, which is skipped.
    pub(crate) fn rest_of_line(&mut self, start: usize) -> &'t str {
        let end = self.text[start..].find('\n').map_or(self.text.len(), |n| start + n);
        self.at = end;
        self.text[start..end].trim()
    }

    /// The text from a position up to the current token.
    pub(crate) fn since(&self, start: usize) -> &'t str {
        &self.text[start..self.at]
    }

    /// Skips spaces and comments for people; a comment for tools is a token.
    fn skip(&mut self) -> Result<Option<&'t str>, Error> {
        loop {
            match (self.byte(0), self.byte(1)) {
                (b'\n', _) => {
                    self.line += 1;
                    self.at += 1;
                }
                (b' ' | b'\t' | b'\r', _) => self.at += 1,
                (b'/', b'/') => {
                    let start = self.at;
                    let comment = self.rest_of_line(start);
                    if comment.as_bytes().get(2).is_some_and(|c| c.is_ascii_alphabetic()) && comment.contains(':') {
                        return Ok(Some(comment));
                    }
                }
                (b'/', b'*') => {
                    let Some(len) = self.text[self.at + 2..].find("*/") else {
                        return Err(self.error("a comment that does not end"));
                    };
                    let end = self.at + 2 + len + 2;
                    self.line += self.text[self.at..end].matches('\n').count() as u32;
                    self.at = end;
                }
                _ => return Ok(None),
            }
        }
    }

    fn word(&mut self) -> &'t str {
        let start = self.at;
        // The first one may be a sign that does not occur inside a word.
        self.at += 1;
        while matches!(self.byte(0), b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$') {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    pub(crate) fn next(&mut self) -> Result<Placed<'t>, Error> {
        if let Some(annotation) = self.skip()? {
            let start = annotation.as_ptr().addr() - self.text.as_ptr().addr();
            return Ok(Placed { token: Token::Annotation(annotation), line: self.line, start });
        }
        let (start, line) = (self.at, self.line);
        let token = match self.byte(0) {
            0 if self.at >= self.text.len() => Token::End,
            b'%' if !matches!(self.byte(1), b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$') => {
                return Err(self.error("a `%` without a name"));
            }
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'%' => Token::Word(self.word()),
            b'.' if self.byte(1).is_ascii_alphabetic() => {
                self.at += 1;
                let start = self.at;
                self.word();
                while self.byte(0) == b':' && self.byte(1) == b':' {
                    self.at += 2;
                    self.word();
                }
                Token::Dotted(&self.text[start..self.at])
            }
            b'0'..=b'9' => self.number()?,
            b'"' => {
                let Some(len) = self.text[start + 1..].find(['"', '\n']) else {
                    return Err(self.error("a text that does not end"));
                };
                self.at = start + 1 + len + 1;
                if !self.text[..self.at].ends_with('"') {
                    return Err(self.error("a text that does not end on its line"));
                }
                Token::Text(&self.text[start + 1..start + 1 + len])
            }
            _ => {
                let sign = self.text[start..].chars().next().expect("it is not the end");
                self.at += sign.len_utf8();
                if !"(){}[]<>,;:|@!=+-".contains(sign) {
                    return Err(Error { line, message: format!("`{sign}` has no meaning here") });
                }
                Token::Sign(sign)
            }
        };
        Ok(Placed { token, line, start })
    }

    /// `12`, `0x1F`, `0f3F800000`, `0d3FF0000000000000`
    fn number(&mut self) -> Result<Token<'t>, Error> {
        let word = self.word();
        let digits = |from: usize, radix| {
            let digits = word[from..].trim_end_matches('U');
            u128::from_str_radix(digits, radix).map_err(|_| self.error(format!("`{word}` is not a number")))
        };
        let bytes = word.as_bytes();
        if self.byte(0) == b'.' && self.byte(1).is_ascii_digit() {
            return Err(self.error("a floating-point number in decimal digits; only `0f…` and `0d…` are understood"));
        }
        Ok(match (bytes[0], bytes.get(1)) {
            (b'0', Some(b'f' | b'F')) if word.len() == 10 => Token::Float(Bits::Single(digits(2, 16)? as u32)),
            (b'0', Some(b'd' | b'D')) if word.len() == 18 => Token::Float(Bits::Double(digits(2, 16)? as u64)),
            (b'0', Some(b'x' | b'X')) => Token::Integer(self.integer(word, digits(2, 16)?)?),
            (b'0', Some(b'b' | b'B')) => Token::Integer(self.integer(word, digits(2, 2)?)?),
            (b'0', Some(b'0'..=b'7')) => Token::Integer(self.integer(word, digits(1, 8)?)?),
            _ => Token::Integer(self.integer(word, digits(0, 10)?)?),
        })
    }

    fn integer(&self, word: &str, number: u128) -> Result<i128, Error> {
        u64::try_from(number).map(i128::from).map_err(|_| self.error(format!("`{word}` has more than 64 bits")))
    }
}
