//! GraphML, as OSMnx writes it: read as a stream, with nodes and edges in any order.

use std::collections::HashMap;
use std::io::BufRead;

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Lines, Mistake, Place, build, no_memory, room, xml};
use crate::tags::{self, Direction};
use crate::{Builder, Class, Control, Coordinates, Network, Oddity, Traits, Warnings};

/// The meaning of a `<key>`.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    X,
    Y,
    Longitude,
    Latitude,
    Highway,
    OneWay,
    Lanes,
    Speed,
    Length,
    Geometry,
}

impl Field {
    fn parse(name: &str) -> Option<Self> {
        Some(match name {
            "x" => Self::X,
            "y" => Self::Y,
            "lon" => Self::Longitude,
            "lat" => Self::Latitude,
            "highway" => Self::Highway,
            "oneway" => Self::OneWay,
            "lanes" => Self::Lanes,
            "maxspeed" => Self::Speed,
            "length" => Self::Length,
            "geometry" => Self::Geometry,
            _ => return None,
        })
    }
}

/// The contents of a node's or an edge's `<data>` elements so far.
#[derive(Default)]
struct Data {
    x: Option<f64>,
    y: Option<f64>,
    longitude: Option<f64>,
    latitude: Option<f64>,
    highway: String,
    one_way: Option<Direction>,
    lanes: Option<u8>,
    speed: Option<f32>,
    length: Option<f32>,
    /// All points, including its ends.
    shape: Vec<[f64; 2]>,
}

impl Data {
    /// Clears all contents, and keeps the memory.
    fn clear(&mut self) {
        let (mut highway, mut shape) = (std::mem::take(&mut self.highway), std::mem::take(&mut self.shape));
        highway.clear();
        shape.clear();
        *self = Self { highway, shape, ..Self::default() };
    }
}

/// The element that `<data>` belongs to.
#[derive(Clone, Copy)]
enum Owner {
    None,
    Node(u32),
    Edge { from: u32, to: u32, is_directed: bool },
}

/// The state of reading a file.
struct GraphMl<'a> {
    builder: Builder,
    warnings: &'a mut Warnings,
    nodes: Names,
    keys: HashMap<String, Field>,
    /// The default direction of edges.
    is_directed: bool,
    owner: Owner,
    data: Data,
    line: u64,
}

pub(super) fn read(reader: impl BufRead, warnings: &mut Warnings) -> Result<Network, Mistake> {
    let mut reader = Reader::from_reader(Lines::new(reader));
    let mut file = GraphMl {
        builder: Builder::new(Coordinates::Degrees),
        warnings,
        nodes: Names::default(),
        keys: HashMap::new(),
        is_directed: true,
        owner: Owner::None,
        data: Data::default(),
        line: 1,
    };
    let (mut buffer, mut text) = (Vec::new(), String::new());
    // The field whose text is being read.
    let mut field = None;
    let mut is_complete = false;
    loop {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer);
        file.line = reader.get_mut().next().line;
        match event.map_err(|error| xml::mistake(file.line, &error))? {
            Event::Start(tag) => {
                field = file.start(&tag)?;
                text.clear();
            }
            Event::Empty(tag) => {
                file.start(&tag)?;
                file.end(tag.name().0)?;
            }
            Event::End(tag) => {
                if let Some(field) = field.take() {
                    file.value(field, text.trim())?;
                }
                file.end(tag.name().0)?;
                is_complete |= tag.name().0 == "graphml";
            }
            Event::Text(part) if field.is_some() => text.push_str(&part),
            Event::CData(part) if field.is_some() => text.push_str(&part),
            Event::GeneralRef(part) if field.is_some() => text.push(xml::character(&part)),
            Event::Eof => break,
            _ => {}
        }
    }
    if !is_complete {
        return Err(file.wrong("the file ends before </graphml>"));
    }
    file.finish()
}

impl GraphMl<'_> {
    fn wrong(&self, what: impl Into<String>) -> Mistake {
        (Place::Line(self.line), what.into())
    }

    /// Begins an element. Returns the field, if the element is a `<data>` with relevant text.
    fn start(&mut self, tag: &BytesStart<'_>) -> Result<Option<Field>, Mistake> {
        match tag.name().0 {
            "data" => {
                if let Owner::None = self.owner {
                    return Ok(None);
                }
                let key = self.attribute(tag, "key")?;
                return Ok(self.keys.get(&*key).copied());
            }
            "node" => {
                let id = self.attribute(tag, "id")?;
                self.owner = Owner::Node(self.nodes.number(&id, &mut self.builder)?);
                self.data.clear();
            }
            "edge" => {
                let source = self.attribute(tag, "source")?;
                let from = self.nodes.number(&source, &mut self.builder)?;
                let target = self.attribute(tag, "target")?;
                let to = self.nodes.number(&target, &mut self.builder)?;
                let is_directed =
                    xml::attribute(tag, "directed", self.line)?.map_or(self.is_directed, |value| value == "true");
                self.owner = Owner::Edge { from, to, is_directed };
                self.data.clear();
            }
            "key" => {
                let (id, name) = (self.attribute(tag, "id")?, self.attribute(tag, "attr.name")?);
                if let Some(field) = Field::parse(&name) {
                    self.keys.insert(id.into_owned(), field);
                }
            }
            "graph" => {
                let default = xml::attribute(tag, "edgedefault", self.line)?;
                self.is_directed = default.is_none_or(|value| value != "undirected");
            }
            _ => {}
        }
        Ok(None)
    }

    fn attribute<'t>(&self, tag: &'t BytesStart<'_>, name: &str) -> Result<std::borrow::Cow<'t, str>, Mistake> {
        let value = xml::attribute(tag, name, self.line)?;
        value.ok_or_else(|| self.wrong(format!("<{}> without the attribute `{name}`", tag.name().0)))
    }

    /// Adds the text of a field.
    fn value(&mut self, field: Field, text: &str) -> Result<(), Mistake> {
        let number = |name: &str| {
            let value = text.parse::<f64>().ok().filter(|value| value.is_finite());
            value.ok_or_else(|| self.wrong(format!("{name} is {text:?}, which is not a finite number")))
        };
        let line = self.line;
        let mut is_known = true;
        let oddity = match field {
            Field::X => return number("x").map(|value| self.data.x = Some(value)),
            Field::Y => return number("y").map(|value| self.data.y = Some(value)),
            Field::Longitude => return number("lon").map(|value| self.data.longitude = Some(value)),
            Field::Latitude => return number("lat").map(|value| self.data.latitude = Some(value)),
            Field::Highway => {
                self.data.highway.push_str(text);
                return Ok(());
            }
            Field::OneWay => {
                self.data.one_way = tags::direction(text);
                return Ok(());
            }
            Field::Lanes => {
                self.data.lanes = tags::lanes(text);
                is_known = self.data.lanes.is_some();
                Oddity::UnknownLanes
            }
            Field::Speed => {
                self.data.speed = tags::speed(text);
                is_known = self.data.speed.is_some();
                Oddity::UnknownSpeed
            }
            Field::Length => {
                self.data.length = text.parse().ok().filter(|length| (0.0..1e7_f32).contains(length));
                is_known = self.data.length.is_some();
                Oddity::UnknownLength
            }
            Field::Geometry => {
                is_known &= line_string(text, &mut self.data.shape);
                Oddity::UnknownShape
            }
        };
        if !is_known {
            // A shape may have a thousand points.
            let text: String = text.chars().take(40).collect();
            self.warnings.add(oddity, || format!("{text:?} in line {line}"));
        }
        Ok(())
    }

    /// Ends an element.
    fn end(&mut self, tag: &str) -> Result<(), Mistake> {
        match (tag, self.owner) {
            ("node", Owner::Node(node)) => {
                self.owner = Owner::None;
                self.node(node)
            }
            ("edge", Owner::Edge { from, to, is_directed }) => {
                self.owner = Owner::None;
                self.edge(from, to, is_directed)
            }
            _ => Ok(()),
        }
    }

    fn node(&mut self, node: u32) -> Result<(), Mistake> {
        let Data { x, y, longitude, latitude, .. } = self.data;
        if let (Some(x), Some(y)) = (x.or(longitude), y.or(latitude))
            && !self.builder.place(node, [x, y])
        {
            return Err(self.wrong(format!("{x}, {y} is no position: degrees or metres were expected")));
        }
        self.builder.control(node, Control::parse(&self.data.highway));
        Ok(())
    }

    fn edge(&mut self, from: u32, to: u32, is_directed: bool) -> Result<(), Mistake> {
        let Data { one_way, lanes, speed, length, .. } = self.data;
        let class = tags::class(&self.data.highway).unwrap_or_else(|| {
            let (highway, line) = (&self.data.highway, self.line);
            if !highway.is_empty() {
                self.warnings.add(Oddity::UnknownClass, || format!("{highway:?} in line {line}"));
            }
            Class::Unclassified
        });
        // OSMnx counts the lanes of both directions, as OpenStreetMap does.
        let lanes = if one_way == Some(Direction::Both) { lanes.map(tags::half) } else { lanes };
        let traits = Traits {
            class,
            lanes: lanes.unwrap_or(class.usual_lanes()),
            speed: speed.unwrap_or(class.usual_speed()),
            length,
        };
        let shape = &mut self.data.shape;
        // OSMnx may have reversed an edge without its shape.
        if let (Some(a), Some(b), [first, .., last]) = (self.builder.at(from), self.builder.at(to), &shape[..]) {
            let distance = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).hypot(a[1] - b[1]);
            if distance(*first, b) + distance(*last, a) < distance(*first, a) + distance(*last, b) {
                shape.reverse();
            }
        }
        let between = if shape.len() > 2 { &shape[1..shape.len() - 1] } else { &[] };
        room(&mut self.builder, between.len())?;
        let street = self.builder.street(from, to, traits, between);
        if !is_directed && one_way != Some(Direction::Forward) {
            self.builder.back(street);
        }
        Ok(())
    }

    fn finish(self) -> Result<Network, Mistake> {
        let Self { builder, warnings, nodes, .. } = self;
        if (0..builder.nodes() as u32).any(|node| builder.is_placed(node)) {
            for street in 0..builder.streets() as u32 {
                let (from, to) = builder.ends(street);
                if let Some(missing) = [from, to].into_iter().find(|&node| !builder.is_placed(node)) {
                    warnings.add(Oddity::MissingNode, || format!("at node {}", nodes.name(missing)));
                }
            }
        }
        drop(nodes);
        build(builder)
    }
}

/// Reads the points of `LINESTRING (x y, x y)`; returns false if the text has another form.
fn line_string(text: &str, points: &mut Vec<[f64; 2]>) -> bool {
    let inner = text.strip_prefix("LINESTRING").map(str::trim).and_then(|text| text.strip_prefix('('));
    let Some(inner) = inner.and_then(|text| text.strip_suffix(')')) else { return false };
    for point in inner.split(',') {
        let mut values = point.split_ascii_whitespace().map(|word| word.parse::<f64>());
        match (values.next(), values.next()) {
            (Some(Ok(x)), Some(Ok(y))) if x.is_finite() && y.is_finite() => points.push([x, y]),
            _ => {
                points.clear();
                return false;
            }
        }
    }
    true
}

/// The numbers of nodes by name; most names are numbers themselves.
#[derive(Default)]
struct Names {
    numeric: HashMap<i64, u32>,
    others: HashMap<String, u32>,
}

impl Names {
    /// The number of a node, which is added if it is new.
    fn number(&mut self, name: &str, builder: &mut Builder) -> Result<u32, Mistake> {
        room(builder, 0)?;
        let full = |builder: &Builder| no_memory(builder.streets());
        // `07` and `7` are different nodes.
        let is_plain = !name.starts_with(['0', '+', '-']) || name == "0";
        if let Some(numeric) = name.parse::<i64>().ok().filter(|_| is_plain) {
            self.numeric.try_reserve(1).map_err(|_| full(builder))?;
            return Ok(*self.numeric.entry(numeric).or_insert_with(|| builder.node_somewhere()));
        }
        if let Some(&number) = self.others.get(name) {
            return Ok(number);
        }
        let mut owned = String::new();
        owned.try_reserve_exact(name.len()).map_err(|_| full(builder))?;
        self.others.try_reserve(1).map_err(|_| full(builder))?;
        owned.push_str(name);
        Ok(*self.others.entry(owned).or_insert_with(|| builder.node_somewhere()))
    }

    /// The name of a node.
    fn name(&self, node: u32) -> String {
        let numeric = self.numeric.iter().find(|&(_, &number)| number == node).map(|(name, _)| name.to_string());
        let other = || self.others.iter().find(|&(_, &number)| number == node).map(|(name, _)| name.clone());
        numeric.or_else(other).unwrap_or_default()
    }
}
