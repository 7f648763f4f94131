//! OpenStreetMap's XML, and the common parts of XML readers.

use std::borrow::Cow;
use std::io::BufRead;

use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::osm::{Element, Tags};
use super::{Lines, Mistake, Place};
use crate::Control;

/// The parser's error.
pub(super) fn mistake(line: u64, error: &quick_xml::Error) -> Mistake {
    match error {
        quick_xml::Error::Io(error) => (Place::File, format!("cannot be read: {error}")),
        _ => (Place::Line(line), format!("not XML: {error}")),
    }
}

/// The value of an attribute, if it exists.
pub(super) fn attribute<'t>(tag: &'t BytesStart<'_>, name: &str, line: u64) -> Result<Option<Cow<'t, str>>, Mistake> {
    for attribute in tag.attributes().with_checks(false) {
        let attribute = attribute.map_err(|error| mistake(line, &error.into()))?;
        if attribute.key.0 == name {
            let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| mistake(line, &error))?;
            return Ok(Some(value));
        }
    }
    Ok(None)
}

/// The character for `&amp;` or `&#38;`; U+FFFD for unknown ones.
pub(super) fn character(reference: &BytesRef<'_>) -> char {
    if let Ok(Some(character)) = reference.resolve_char_ref() {
        return character;
    }
    match &**reference {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

/// Iterates over all nodes and ways of a file in OpenStreetMap's XML.
pub(super) fn elements(
    reader: impl BufRead,
    visit: &mut dyn FnMut(Element<'_>) -> Result<(), Mistake>,
) -> Result<(), Mistake> {
    let mut reader = Reader::from_reader(Lines::new(reader));
    let mut buffer = Vec::new();
    let (mut refs, mut tags) = (Vec::new(), Tags::default());
    let mut node = None;
    let mut way = None;
    let mut is_complete = false;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        let line = reader.get_mut().next().line;
        let event = event.map_err(|error| mistake(line, &error))?;
        let tag = match &event {
            Event::Start(tag) | Event::Empty(tag) => Some(tag),
            _ => None,
        };
        match tag.map_or("", |tag| tag.name().0) {
            "node" => {
                let tag = tag.expect("named");
                let position = [number(tag, "lon", line)?, number(tag, "lat", line)?];
                node = Some((number(tag, "id", line)?, position));
                tags.clear();
            }
            "way" => {
                way = Some(number(tag.expect("named"), "id", line)?);
                refs.clear();
                tags.clear();
            }
            "nd" if way.is_some() => refs.push(number(tag.expect("named"), "ref", line)?),
            "tag" if way.is_some() || node.is_some() => {
                let tag = tag.expect("named");
                let value = |name: &str| -> Result<Cow<'_, str>, Mistake> {
                    attribute(tag, name, line)?.ok_or_else(|| (Place::Line(line), format!("<tag> without `{name}`")))
                };
                tags.set(&value("k")?, &value("v")?);
            }
            _ => {}
        }
        let ended = match &event {
            Event::Empty(tag) => tag.name().0,
            Event::End(tag) => tag.name().0,
            Event::Eof => break,
            _ => "",
        };
        match ended {
            "node" => {
                if let Some((id, position)) = node.take() {
                    visit(Element::Node { id, position, control: Control::parse(&tags.highway) })?;
                }
            }
            "way" => {
                if let Some(id) = way.take() {
                    visit(Element::Way { id, refs: &refs, tags: &tags })?;
                }
            }
            "osm" => is_complete = true,
            _ => {}
        }
    }
    if is_complete {
        Ok(())
    } else {
        Err((Place::Line(reader.get_ref().line), "the file ends before </osm>".to_owned()))
    }
}

/// A numeric attribute.
fn number<T: std::str::FromStr>(tag: &BytesStart<'_>, name: &str, line: u64) -> Result<T, Mistake> {
    let element = tag.name().0;
    let wrong = |what: String| (Place::Line(line), what);
    let value = attribute(tag, name, line)?.ok_or_else(|| wrong(format!("<{element}> without `{name}`")))?;
    value.parse().map_err(|_| wrong(format!("`{name}` of <{element}> is {value:?}, which is not such a number")))
}
