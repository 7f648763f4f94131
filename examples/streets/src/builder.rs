//! Construction of networks street by street.

use std::collections::TryReserveError;

use crate::network::STRAIGHT;
use crate::projection::{self, Coordinates, Fixed, Projection, UNKNOWN};
use crate::{Class, Control, Network, NoMemory, room_for};

/// The length of streets without any data, in metres.
const UNKNOWN_LENGTH: f32 = 100.0;
/// The smallest length of a street, in metres.
const SHORTEST: f32 = 0.1;

/// The properties of a street.
///
/// ```
/// use streets::{Class, Traits};
///
/// let traits = Traits { lanes: 3, ..Traits::usual(Class::Primary) };
/// assert_eq!(traits.length, None); // measured on the map
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// Its class.
    pub class: Class,
    /// Lanes in one direction.
    pub lanes: u8,
    /// The speed limit in metres per second.
    pub speed: f32,
    /// Its length in metres; by default, the length of its shape.
    pub length: Option<f32>,
}

impl Traits {
    /// The usual properties of a class.
    #[must_use]
    pub fn usual(class: Class) -> Self {
        Self { class, lanes: class.usual_lanes(), speed: class.usual_speed(), length: None }
    }
}

/// Builds a network node by node and street by street, in any order.
///
/// ```
/// use streets::{Builder, Class, Coordinates, Traits};
///
/// let mut builder = Builder::new(Coordinates::Metres);
/// let [a, b] = [[0.0, 0.0], [300.0, 400.0]].map(|position| builder.node(position));
/// let street = builder.street(a, b, Traits::usual(Class::Residential), &[[300.0, 0.0]]);
/// builder.back(street);
/// let network = builder.build();
/// assert_eq!(network.street(1).length, 700.0);
/// assert_eq!(network.shape(1).nth(1), network.shape(0).nth(1));
/// ```
#[derive(Clone, Debug)]
pub struct Builder {
    coordinates: Coordinates,
    positions: Vec<Fixed>,
    controls: Vec<Control>,
    sources: Vec<u32>,
    targets: Vec<u32>,
    /// The lengths of streets; 0 if a length must be measured.
    lengths: Vec<f32>,
    speeds: Vec<f32>,
    classes: Vec<Class>,
    lanes: Vec<u8>,
    shapes: Vec<u32>,
    shape_offsets: Vec<u32>,
    shape_points: Vec<Fixed>,
}

impl Builder {
    /// An empty network.
    #[must_use]
    pub fn new(coordinates: Coordinates) -> Self {
        Self {
            coordinates,
            positions: Vec::new(),
            controls: Vec::new(),
            sources: Vec::new(),
            targets: Vec::new(),
            lengths: Vec::new(),
            speeds: Vec::new(),
            classes: Vec::new(),
            lanes: Vec::new(),
            shapes: Vec::new(),
            shape_offsets: vec![0],
            shape_points: Vec::new(),
        }
    }

    /// The number of nodes so far.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.positions.len()
    }

    /// The number of streets so far.
    #[must_use]
    pub fn streets(&self) -> usize {
        self.sources.len()
    }

    /// Adds a node, and returns its number. Its position becomes unknown if it is impossible: not on the Earth, or more
    /// than 20,000 km from the origin.
    ///
    /// # Panics
    ///
    /// If the network has 2³² − 1 nodes already.
    pub fn node(&mut self, position: [f64; 2]) -> u32 {
        let number = self.node_somewhere();
        self.positions[number as usize] = projection::fixed(self.coordinates, position).unwrap_or(UNKNOWN);
        number
    }

    /// Adds a node without any data yet.
    pub(crate) fn node_somewhere(&mut self) -> u32 {
        let number = u32::try_from(self.nodes()).ok().filter(|&number| number < u32::MAX);
        self.positions.push(UNKNOWN);
        self.controls.push(Control::None);
        number.expect("a network has less than 2³² nodes")
    }

    /// Sets the position of a node; returns false if the position is impossible.
    pub(crate) fn place(&mut self, node: u32, position: [f64; 2]) -> bool {
        let Some(position) = self.fixed(position) else { return false };
        self.positions[node as usize] = position;
        true
    }

    /// The position in integers. An impossible value in degrees shows that all positions are in metres.
    fn fixed(&mut self, position: [f64; 2]) -> Option<Fixed> {
        projection::fixed(self.coordinates, position).or_else(|| {
            let metres = projection::fixed(Coordinates::Metres, position)?;
            self.coordinates = Coordinates::Metres;
            self.positions.iter_mut().for_each(projection::degrees_to_metres);
            self.shape_points.iter_mut().for_each(projection::degrees_to_metres);
            Some(metres)
        })
    }

    /// Sets the signal or sign that makes drivers stop at a node.
    ///
    /// # Panics
    ///
    /// If the node does not exist.
    pub fn control(&mut self, node: u32, control: Control) {
        self.controls[node as usize] = control;
    }

    /// Adds a one-way street, and returns its number in the builder: the network renumbers streets by their first
    /// nodes. `between` holds the points between the first node and the last.
    ///
    /// # Panics
    ///
    /// If a node does not exist, or if the network has 2³¹ − 1 streets already.
    pub fn street(&mut self, from: u32, to: u32, traits: Traits, between: &[[f64; 2]]) -> u32 {
        assert!(from.max(to) < self.nodes() as u32, "no node {}", from.max(to));
        let number = u32::try_from(self.streets()).ok().filter(|&number| number < u32::MAX / 2);
        let number = number.expect("a network has less than 2³¹ − 1 streets");
        self.sources.push(from);
        self.targets.push(to);
        self.lengths.push(traits.length.map_or(0.0, |length| length.max(SHORTEST)));
        self.speeds.push(traits.speed);
        self.classes.push(traits.class);
        self.lanes.push(traits.lanes.max(1));
        let before = self.shape_points.len();
        for &point in between {
            let point = self.fixed(point);
            self.shape_points.extend(point);
        }
        if self.shape_points.len() > before {
            self.shapes.push((self.shape_offsets.len() as u32 - 1) << 1);
            self.shape_offsets.push(u32::try_from(self.shape_points.len()).expect("less than 2³² points"));
        } else {
            self.shapes.push(STRAIGHT);
        }
        number
    }

    /// Checks that memory is free for three nodes and a two-way street with this many points.
    pub(crate) fn reserve(&mut self, points: usize) -> Result<(), TryReserveError> {
        self.positions.try_reserve(3)?;
        self.controls.try_reserve(3)?;
        for column in [&mut self.sources, &mut self.targets, &mut self.shapes, &mut self.shape_offsets] {
            column.try_reserve(2)?;
        }
        self.lengths.try_reserve(2)?;
        self.speeds.try_reserve(2)?;
        self.classes.try_reserve(2)?;
        self.lanes.try_reserve(2)?;
        self.shape_points.try_reserve(points)
    }

    /// Adds the opposite direction of a street.
    ///
    /// # Panics
    ///
    /// If the street does not exist.
    pub fn back(&mut self, street: u32) -> u32 {
        let n = street as usize;
        let traits = Traits {
            class: self.classes[n],
            lanes: self.lanes[n],
            speed: self.speeds[n],
            length: Some(self.lengths[n]),
        };
        let back = self.street(self.targets[n], self.sources[n], traits, &[]);
        self.lengths[back as usize] = self.lengths[n];
        self.shapes[back as usize] = if self.shapes[n] == STRAIGHT { STRAIGHT } else { self.shapes[n] ^ 1 };
        back
    }

    /// The position of a node, in the file's unit.
    pub(crate) fn at(&self, node: u32) -> Option<[f64; 2]> {
        self.is_placed(node).then(|| projection::exact(self.coordinates, self.positions[node as usize]))
    }

    /// Whether the position of a node is known.
    pub(crate) fn is_placed(&self, node: u32) -> bool {
        self.positions[node as usize] != UNKNOWN
    }

    /// The nodes of a street.
    pub(crate) fn ends(&self, street: u32) -> (u32, u32) {
        (self.sources[street as usize], self.targets[street as usize])
    }

    /// The network, if enough memory is free.
    pub(crate) fn try_build(self) -> Result<Network, NoMemory> {
        let (nodes, streets) = (self.nodes() as u64, self.streets() as u64);
        let is_whole = self.positions.iter().all(|&position| position != UNKNOWN);
        // The order of the streets, and one column in two orders; a second network if nodes are removed.
        let copy = if is_whole { 0 } else { 24 * nodes + 64 * streets + 12 * self.shape_points.len() as u64 };
        room_for(8 * nodes + 8 * streets + copy)?;
        Ok(self.build())
    }

    /// The network. If some nodes have a position, nodes without one are removed together with their streets.
    #[must_use]
    pub fn build(mut self) -> Network {
        let has_positions = self.positions.iter().any(|&position| position != UNKNOWN);
        self.measure();
        let nodes = self.nodes();
        let (order, offsets) = self.rows();
        drop(std::mem::take(&mut self.sources));
        let projection = has_positions.then(|| Projection::around(self.coordinates, &self.positions));
        let is_whole = !has_positions || self.positions.iter().all(|&position| position != UNKNOWN);
        let metres = |points: Vec<Fixed>| -> Vec<[f32; 2]> {
            let Some(projection) = projection else { return Vec::new() };
            // In place: both types have 8 bytes.
            points.into_iter().map(|point| projection.metres(point)).collect()
        };
        let known: Vec<bool> =
            if is_whole { vec![] } else { self.positions.iter().map(|&position| position != UNKNOWN).collect() };
        let network = Network {
            projection,
            positions: metres(self.positions),
            controls: self.controls,
            offsets,
            targets: ordered(self.targets, &order),
            lengths: ordered(self.lengths, &order),
            speeds: ordered(self.speeds, &order),
            classes: ordered(self.classes, &order),
            lanes: ordered(self.lanes, &order),
            shapes: ordered(self.shapes, &order),
            shape_offsets: self.shape_offsets,
            shape_points: metres(self.shape_points),
        };
        debug_assert_eq!(network.nodes(), nodes);
        if is_whole {
            return network;
        }
        network.filtered(|street| known[street.from as usize] && known[street.to as usize])
    }

    /// Measures the lengths that are not known yet.
    fn measure(&mut self) {
        for n in 0..self.streets() {
            if self.lengths[n] > 0.0 {
                continue;
            }
            let [from, to] = [self.sources[n], self.targets[n]].map(|node| self.positions[node as usize]);
            self.lengths[n] = if from == UNKNOWN || to == UNKNOWN {
                UNKNOWN_LENGTH
            } else {
                (self.measured(n, from, to) as f32).max(SHORTEST)
            };
        }
    }

    /// The length of a street's shape in metres.
    fn measured(&self, street: usize, from: Fixed, to: Fixed) -> f64 {
        let between = match self.shapes[street] {
            STRAIGHT => &[][..],
            shape => {
                let n = (shape >> 1) as usize;
                &self.shape_points[self.shape_offsets[n] as usize..self.shape_offsets[n + 1] as usize]
            }
        };
        // Measured forward, in either direction of the street.
        let is_turned = self.shapes[street] != STRAIGHT && self.shapes[street] & 1 == 1;
        let (first, last) = if is_turned { (to, from) } else { (from, to) };
        let points = || std::iter::once(first).chain(between.iter().copied()).chain([last]);
        points().zip(points().skip(1)).map(|(a, b)| projection::distance(self.coordinates, a, b)).sum()
    }

    /// The streets sorted by their first nodes, and the start of each node's streets.
    fn rows(&self) -> (Vec<u32>, Vec<u32>) {
        let mut offsets = vec![0_u32; self.nodes() + 1];
        for &from in &self.sources {
            offsets[from as usize + 1] += 1;
        }
        for n in 0..self.nodes() {
            offsets[n + 1] += offsets[n];
        }
        let mut next = offsets.clone();
        let mut order = vec![0; self.streets()];
        for (street, &from) in self.sources.iter().enumerate() {
            order[next[from as usize] as usize] = street as u32;
            next[from as usize] += 1;
        }
        (order, offsets)
    }
}

fn ordered<T: Copy>(values: Vec<T>, order: &[u32]) -> Vec<T> {
    order.iter().map(|&n| values[n as usize]).collect()
}
