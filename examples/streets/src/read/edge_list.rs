//! Lists of streets, as SNAP has lists of edges, with lengths.

use std::collections::HashMap;
use std::io::{BufRead, ErrorKind, Read};

use super::{LONGEST as LONGEST_LINE, Mistake, Place, build, no_memory, room, unreadable};
use crate::{Builder, Class, Coordinates, Network, Oddity, Traits, Warnings};

/// The form of a line.
const LINE: &str = "a line is a street, FROM TO or FROM TO LENGTH";
/// The largest length of a street, in metres.
const LONGEST: f32 = 1e7;

pub(super) fn read(mut reader: impl BufRead, warnings: &mut Warnings) -> Result<Network, Mistake> {
    let mut builder = Builder::new(Coordinates::Metres);
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut text = String::new();
    for line in 1.. {
        text.clear();
        let wrong = |what: String| (Place::Line(line), what);
        match reader.by_ref().take(LONGEST_LINE).read_line(&mut text) {
            Ok(0) => break,
            Ok(length) if length as u64 == LONGEST_LINE => {
                return Err(wrong(format!("{length} bytes or more: {LINE}")));
            }
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::InvalidData => return Err(wrong("not UTF-8".to_owned())),
            Err(error) => return Err(unreadable(error)),
        }
        let content = text.split('#').next().unwrap_or_default();
        let mut words = content.split(|c: char| c.is_ascii_whitespace() || c == ',').filter(|word| !word.is_empty());
        let Some(first) = words.next() else { continue };
        let rest = [words.next(), words.next(), words.next()];
        let [Some(second), length, None] = rest else {
            let count = 1 + rest.iter().flatten().count() + words.count();
            return Err(wrong(format!("{count} values instead of 2 or 3: {LINE}")));
        };
        room(&mut builder, 0)?;
        numbers.try_reserve(2).map_err(|_| no_memory(builder.streets()))?;
        let mut node = |word: &str| {
            let name = word.parse::<u64>().ok().filter(|&name| i64::try_from(name).is_ok());
            let name = name.ok_or_else(|| wrong(not_a_node(word)))?;
            Ok(*numbers.entry(name).or_insert_with(|| builder.node_somewhere()))
        };
        let (from, to) = (node(first)?, node(second)?);
        let parsed = length.and_then(|word| word.parse().ok()).filter(|length| (0.0..LONGEST).contains(length));
        if parsed.is_none() {
            let what = length.map_or("missing".to_owned(), |word| format!("{word:?}"));
            warnings.add(Oddity::UnknownLength, || format!("{what} in line {line}"));
        }
        let traits = Traits { length: parsed, ..Traits::usual(Class::Unclassified) };
        builder.street(from, to, traits, &[]);
    }
    if builder.streets() == 0 {
        return Err((Place::File, format!("no streets; {LINE}")));
    }
    build(builder)
}

fn not_a_node(word: &str) -> String {
    format!("{word:?} is not a node: nodes are numbers from 0 to 2⁶³ − 1")
}
