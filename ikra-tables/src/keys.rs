//! Keys: values by which links in other tables name objects.

use arrow_array::Array;
use arrow_array::cast::AsArray;
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::columns::Columns;
use crate::error::{TableError, shown};
use crate::number::{Whole, is_number, whole};
use crate::text::texts;

/// The rows of a table by their keys. A number and a text of the same number are one key.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    numbers: HashMap<i64, u32>,
    texts: HashMap<Box<str>, u32>,
}

/// A key of a row.
#[derive(Clone, Copy)]
enum Key<'a> {
    Number(i64),
    Text(&'a str),
}

impl<'a> Key<'a> {
    /// The key that a text is: a number, if a number would be printed like this, or with a point: `7`, `7.0`.
    fn of(text: &'a str) -> Self {
        let is_zeros = |digits: &str| !digits.is_empty() && digits.bytes().all(|digit| digit == b'0');
        let whole = text.split_once('.').filter(|(_, digits)| is_zeros(digits)).map_or(text, |(whole, _)| whole);
        let Some(number) = whole.parse().ok().filter(|&number| is_printed_so(number, whole)) else {
            return Self::Text(text);
        };
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => Self::Number(number),
            // As columns of numbers give them.
            (Err(_), Ok(_)) => Self::Text(whole),
            (Err(_), Err(_)) => Self::Text(text),
        }
    }
}

/// Whether a number is printed as this text: `7`, not `07` or `+7`.
fn is_printed_so(number: i128, text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_minus = text.len() != digits.len();
    !digits.starts_with('+') && (!digits.starts_with('0') || digits.len() == 1 && !is_minus) && is_minus == (number < 0)
}

impl Keys {
    /// Adds the keys of a batch, whose first row has the number `first`.
    pub(crate) fn add(&mut self, from: &Columns<'_>, name: &str, first: usize) -> Result<(), TableError> {
        let column = from.column(name)?;
        from.refuse_nulls(name, column.logical_nulls().as_ref());
        each(from, name, column, |n, key| {
            let Some(key) = key else { return from.bad(name, n, || "empty".to_owned()) };
            // No class has more objects.
            let row = u32::try_from(first + n).unwrap_or(u32::MAX);
            if let Some(before) = self.insert(key, row) {
                from.bad(name, n, || {
                    let key = match key {
                        Key::Number(number) => number.to_string(),
                        Key::Text(text) => shown(text),
                    };
                    format!("key `{key}` is that of row {before} too")
                });
            }
        })
    }

    fn insert(&mut self, key: Key<'_>, row: u32) -> Option<u32> {
        match key {
            Key::Number(number) => match self.numbers.entry(number) {
                Entry::Occupied(entry) => return Some(*entry.get()),
                Entry::Vacant(entry) => drop(entry.insert(row)),
            },
            Key::Text(text) => match self.texts.get(text) {
                Some(&before) => return Some(before),
                None => drop(self.texts.insert(text.into(), row)),
            },
        }
        None
    }

    fn row(&self, key: Key<'_>) -> Option<u32> {
        match key {
            Key::Number(number) => self.numbers.get(&number).copied(),
            Key::Text(text) => self.texts.get(text).copied(),
        }
    }

    /// Calls `found` with the row that each value names, in the order of values, and `is_empty` for each NaN. Notes keys that no
    /// row has.
    pub(crate) fn rows(
        &self,
        from: &Columns<'_>,
        name: &str,
        class: &'static str,
        is_empty: impl Fn(usize),
        mut found: impl FnMut(usize, u32),
    ) -> Result<(), TableError> {
        let column = from.column(name)?;
        each(from, name, column, |n, key| match (key, key.and_then(|key| self.row(key))) {
            (_, Some(row)) => found(n, row),
            (None, None) => is_empty(n),
            (Some(Key::Text(text)), None) if text.eq_ignore_ascii_case("nan") => is_empty(n),
            (Some(Key::Number(number)), None) => from.bad(name, n, || format!("no {class} has the key {number}")),
            (Some(Key::Text(text)), None) => {
                from.bad(name, n, || format!("no {class} has the key `{}`", shown(text)));
            }
        })
    }
}

/// Calls `with` for each value that is not empty; without a key for NaN.
fn each(
    from: &Columns<'_>,
    name: &str,
    column: &dyn Array,
    mut with: impl FnMut(usize, Option<Key<'_>>),
) -> Result<(), TableError> {
    const NEEDED: &str = "keys: integers or texts";
    if is_number(column.data_type()) {
        let nulls = column.logical_nulls();
        return whole(from, name, column, |n, number| match number {
            Whole::Number(number) => with(n, Some(Key::Number(number))),
            Whole::Large(number) => with(n, Some(Key::Text(&number.to_string()))),
            Whole::Fraction(number) => {
                from.bad(name, n, || format!("{number:?} is no integer of 64 bits, and so no key"));
            }
            Whole::Empty if nulls.as_ref().is_some_and(|nulls| nulls.is_null(n)) => {}
            Whole::Empty => with(n, None),
        });
    }
    let texts = texts(from, name, column, NEEDED)?;
    for (n, text) in texts.as_string::<i32>().iter().enumerate() {
        if let Some(text) = text {
            with(n, Some(Key::of(text)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_numbers_are_numbers() {
        for text in ["7.0", "7.000"] {
            assert!(matches!(Key::of(text), Key::Number(7)), "{text}");
        }
        for text in ["0", "7", "-7", "9223372036854775807", "-9223372036854775808"] {
            assert!(matches!(Key::of(text), Key::Number(number) if number.to_string() == text), "{text}");
        }
        for text in ["", "-", "-0", "00", "07", "+7", " 7", "07.0", "7.", "7.5", ".0", "9223372036854775808", "seven"] {
            assert!(matches!(Key::of(text), Key::Text(other) if other == text), "{text}");
        }
        for text in ["18446744073709551615", "18446744073709551615.0", "18446744073709551615.00"] {
            assert!(matches!(Key::of(text), Key::Text("18446744073709551615")), "{text}");
        }
        let text = "18446744073709551616.0";
        assert!(matches!(Key::of(text), Key::Text(other) if other == text), "no integer of 64 bits");
    }
}
