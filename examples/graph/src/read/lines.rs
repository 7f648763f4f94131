//! Lines and numbers.

use super::Mistake;

/// The non-empty lines of a text, with their numbers.
pub(super) fn lines(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let lines = text.split(|&byte| byte == b'\n').enumerate();
    lines.map(|(n, line)| (n + 1, line.trim_ascii())).filter(|(_, line)| !line.is_empty())
}

/// The words of a line.
pub(super) fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

/// A word as a non-negative number.
pub(super) fn number(word: &[u8], line: usize) -> Result<u64, Mistake> {
    let mut number = 0_u64;
    for &byte in word {
        let next = if byte.is_ascii_digit() {
            number.checked_mul(10).and_then(|number| number.checked_add(u64::from(byte - b'0')))
        } else {
            None
        };
        match next {
            Some(next) => number = next,
            None => {
                let word = String::from_utf8_lossy(word);
                return Err(Mistake::at(
                    line,
                    format!("{word:?} is not a vertex: vertices are numbers from 0 to 2⁶⁴ − 1"),
                ));
            }
        }
    }
    Ok(number)
}
