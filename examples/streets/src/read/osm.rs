//! Networks from OpenStreetMap's nodes and ways.
//!
//! A file is read twice: for the ways that are streets, and for the nodes of these ways. So it takes memory for its
//! streets only, not for its houses.

use super::{Mistake, Place, build, no_memory, room};
use crate::tags::{self, Direction};
use crate::{Builder, Class, Control, Coordinates, Network, Oddity, Traits, Warnings, room_for};

/// A node or a way.
pub(super) enum Element<'a> {
    Node { id: i64, position: [f64; 2], control: Control },
    Way { id: i64, refs: &'a [i64], tags: &'a Tags },
}

/// The relevant tags; missing ones are empty.
#[derive(Clone, Debug, Default)]
pub(super) struct Tags {
    pub(super) highway: String,
    area: String,
    junction: String,
    lanes: String,
    speed: String,
    one_way: String,
}

impl Tags {
    pub(super) fn clear(&mut self) {
        for text in
            [&mut self.highway, &mut self.area, &mut self.junction, &mut self.lanes, &mut self.speed, &mut self.one_way]
        {
            text.clear();
        }
    }

    pub(super) fn set(&mut self, key: &str, value: &str) {
        let text = match key {
            "highway" => &mut self.highway,
            "area" => &mut self.area,
            "junction" => &mut self.junction,
            "lanes" => &mut self.lanes,
            "maxspeed" => &mut self.speed,
            "oneway" => &mut self.one_way,
            _ => return,
        };
        text.clear();
        text.push_str(value);
    }

    /// Whether it is an existing street.
    fn is_street(&self) -> bool {
        const NONE: [&str; 15] = [
            "",
            "construction",
            "proposed",
            "planned",
            "abandoned",
            "disused",
            "razed",
            "no",
            "platform",
            "rest_area",
            "services",
            "elevator",
            "bus_stop",
            "street_lamp",
            "raceway",
        ];
        !NONE.contains(&self.highway.as_str()) && self.area != "yes"
    }
}

/// A street of the file.
struct Way {
    /// The start of its nodes among the nodes of all ways.
    start: usize,
    direction: Direction,
    traits: Traits,
}

/// Reads the whole network; `elements` iterates over the file.
pub(super) fn read(
    elements: impl Fn(&mut dyn FnMut(Element<'_>) -> Result<(), Mistake>) -> Result<(), Mistake>,
    warnings: &mut Warnings,
) -> Result<Network, Mistake> {
    let (mut ways, mut refs) = (Vec::<Way>::new(), Vec::new());
    elements(&mut |element| {
        if let Element::Way { id, refs: nodes, tags } = element
            && tags.is_street()
            && nodes.len() > 1
        {
            let room = ways.try_reserve(1).and_then(|()| refs.try_reserve(nodes.len()));
            room.map_err(|_| no_memory(ways.len()))?;
            ways.push(way(id, tags, refs.len(), warnings));
            refs.extend_from_slice(nodes);
        }
        Ok(())
    })?;
    if ways.is_empty() {
        return Err((Place::File, "no streets: no way with the tag `highway`".to_owned()));
    }
    room_for(Places::BYTES * refs.len() as u64).map_err(|_| no_memory(ways.len()))?;
    let mut places = Places::new(&refs);
    elements(&mut |element| {
        if let Element::Node { id, position, control } = element {
            places.set(id, position, control);
        }
        Ok(())
    })?;
    places.count_uses(&ways, &refs);
    let mut streets = Streets { builder: Builder::new(Coordinates::Degrees), places, between: Vec::new() };
    for (n, way) in ways.iter().enumerate() {
        let end = ways.get(n + 1).map_or(refs.len(), |next| next.start);
        streets.add(way, &refs[way.start..end], warnings)?;
    }
    build(streets.builder)
}

/// The meaning of a street's tags.
fn way(id: i64, tags: &Tags, start: usize, warnings: &mut Warnings) -> Way {
    let mut odd = |oddity, text: &str| warnings.add(oddity, || format!("{text:?} of way {id}"));
    let class = Class::parse(&tags.highway).unwrap_or_else(|| {
        odd(Oddity::UnknownClass, &tags.highway);
        Class::Unclassified
    });
    let speed = (!tags.speed.is_empty()).then(|| {
        tags::speed(&tags.speed).unwrap_or_else(|| {
            odd(Oddity::UnknownSpeed, &tags.speed);
            class.usual_speed()
        })
    });
    let lanes = (!tags.lanes.is_empty()).then(|| tags::lanes(&tags.lanes));
    if lanes == Some(None) {
        odd(Oddity::UnknownLanes, &tags.lanes);
    }
    let is_roundabout = matches!(tags.junction.as_str(), "roundabout" | "circular");
    let usual = if is_roundabout || class == Class::Motorway { Direction::Forward } else { Direction::Both };
    let direction = tags::direction(&tags.one_way).unwrap_or(usual);
    // OpenStreetMap counts the lanes of both directions.
    let per_direction = |lanes| if direction == Direction::Both { tags::half(lanes) } else { lanes };
    let traits = Traits {
        class,
        lanes: lanes.flatten().map_or(class.usual_lanes(), per_direction),
        speed: speed.unwrap_or(class.usual_speed()),
        length: None,
    };
    Way { start, direction, traits }
}

/// The nodes on streets.
struct Places {
    /// Their ids, ascending.
    ids: Vec<i64>,
    /// Their positions; NaN if the file lacks the node.
    positions: Vec<[f64; 2]>,
    controls: Vec<Control>,
    /// How many pieces of ways meet: 1 inside a way, 2 or more at junctions.
    uses: Vec<u8>,
    /// Their numbers in the network.
    numbers: Vec<Option<u32>>,
}

impl Places {
    /// The memory for a node.
    const BYTES: u64 = 40;

    fn new(refs: &[i64]) -> Self {
        let mut ids = refs.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let n = ids.len();
        Self {
            ids,
            positions: vec![[f64::NAN; 2]; n],
            controls: vec![Control::None; n],
            uses: vec![0; n],
            numbers: vec![None; n],
        }
    }

    fn set(&mut self, id: i64, position: [f64; 2], control: Control) {
        if let Ok(n) = self.ids.binary_search(&id)
            && position[0].abs() <= 180.0
            && position[1].abs() <= 90.0
        {
            self.positions[n] = position;
            self.controls[n] = control;
        }
    }

    fn find(&self, id: i64) -> usize {
        self.ids.binary_search(&id).expect("all are there")
    }

    fn count_uses(&mut self, ways: &[Way], refs: &[i64]) {
        for &id in refs {
            let n = self.find(id);
            self.uses[n] = self.uses[n].saturating_add(1);
        }
        for (way, end) in ways.iter().zip(ways.iter().skip(1).map(|next| next.start).chain([refs.len()])) {
            for at in [way.start, end - 1] {
                let n = self.find(refs[at]);
                self.uses[n] = self.uses[n].saturating_add(1);
            }
        }
    }

    fn is_missing(&self, n: usize) -> bool {
        self.positions[n][0].is_nan()
    }
}

/// The network under construction.
struct Streets {
    builder: Builder,
    places: Places,
    between: Vec<[f64; 2]>,
}

impl Streets {
    /// Adds a way, split into streets at junctions and at missing nodes.
    fn add(&mut self, way: &Way, refs: &[i64], warnings: &mut Warnings) -> Result<(), Mistake> {
        let nodes: Vec<usize> = refs.iter().map(|&id| self.places.find(id)).collect();
        let mut start = None;
        for (n, &at) in nodes.iter().enumerate() {
            if self.places.is_missing(at) {
                warnings.add(Oddity::MissingNode, || format!("at node {}", refs[n]));
                if let Some(start) = start.take() {
                    self.piece(way, &nodes[start..n])?;
                }
            } else if start.is_none() {
                start = Some(n);
            } else if self.places.uses[at] > 1 {
                self.piece(way, &nodes[start.unwrap_or(n)..=n])?;
                start = Some(n);
            }
        }
        if let Some(start) = start {
            self.piece(way, &nodes[start..])?;
        }
        Ok(())
    }

    /// Adds a street along these nodes.
    fn piece(&mut self, way: &Way, places: &[usize]) -> Result<(), Mistake> {
        let [first, middle @ .., last] = places else { return Ok(()) };
        room(&mut self.builder, middle.len())?;
        // A light may stand before the junction.
        for &place in middle {
            let control = self.places.controls[place];
            if matches!(control, Control::Lights | Control::Stop | Control::Yield) {
                let at = self.places.positions[place];
                let distance = |end: usize| {
                    let end = self.places.positions[end];
                    (end[0] - at[0]).hypot(end[1] - at[1])
                };
                let near = if distance(*first) < distance(*last) { *first } else { *last };
                if self.places.controls[near] == Control::None || control == Control::Lights {
                    self.places.controls[near] = control;
                    if let Some(number) = self.places.numbers[near] {
                        self.builder.control(number, control);
                    }
                }
            }
        }
        let [from, to] = [*first, *last].map(|place| self.node(place));
        self.between.clear();
        self.between.extend(middle.iter().map(|&place| self.places.positions[place]));
        let (from, to) = if way.direction == Direction::Backward {
            self.between.reverse();
            (to, from)
        } else {
            (from, to)
        };
        let street = self.builder.street(from, to, way.traits, &self.between);
        if way.direction == Direction::Both {
            self.builder.back(street);
        }
        Ok(())
    }

    fn node(&mut self, place: usize) -> u32 {
        *self.places.numbers[place].get_or_insert_with(|| {
            let node = self.builder.node(self.places.positions[place]);
            self.builder.control(node, self.places.controls[place]);
            node
        })
    }
}
