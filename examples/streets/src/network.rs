//! The network.

use std::ops::Range;

use crate::projection::Projection;
use crate::{Class, Control};

/// Stands for a straight line.
pub(crate) const STRAIGHT: u32 = u32::MAX;

/// A directed graph of streets between junctions, in compressed rows: the streets that leave a node are numbered
/// consecutively, beginning with node 0.
///
/// A two-way street is two streets, which share their shape.
///
/// ```
/// use streets::Network;
///
/// let (network, _) = Network::from_bytes("triangle.txt", b"1 2 50\n2 3 30\n3 1 40\n2 1 50\n").unwrap();
/// assert_eq!((network.nodes(), network.streets()), (3, 4));
/// let lengths = network.leaving(1).map(|street| network.street(street).length);
/// assert_eq!(lengths.collect::<Vec<_>>(), [30.0, 50.0]);
/// assert_eq!(network.opposite(0), Some(2));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    /// Empty if nodes have no positions.
    pub(crate) projection: Option<Projection>,
    pub(crate) positions: Vec<[f32; 2]>,
    pub(crate) controls: Vec<Control>,
    pub(crate) offsets: Vec<u32>,
    pub(crate) targets: Vec<u32>,
    pub(crate) lengths: Vec<f32>,
    pub(crate) speeds: Vec<f32>,
    pub(crate) classes: Vec<Class>,
    pub(crate) lanes: Vec<u8>,
    /// Twice the number of the shape, plus 1 if the street runs the other way; or [`STRAIGHT`].
    pub(crate) shapes: Vec<u32>,
    pub(crate) shape_offsets: Vec<u32>,
    /// The points between the ends of streets.
    pub(crate) shape_points: Vec<[f32; 2]>,
}

/// A street in one direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Street {
    /// Its number.
    pub id: u32,
    /// The node at its beginning.
    pub from: u32,
    /// The node at its end.
    pub to: u32,
    /// Its length in metres; greater than 0.
    pub length: f32,
    /// The speed limit in metres per second; greater than 0.
    pub speed: f32,
    /// Lanes in this direction; 1 or more.
    pub lanes: u8,
    /// Its class.
    pub class: Class,
}

impl Network {
    /// The number of nodes.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.controls.len()
    }

    /// The number of streets, each direction counted.
    #[must_use]
    pub fn streets(&self) -> usize {
        self.targets.len()
    }

    /// A street.
    ///
    /// # Panics
    ///
    /// If the street does not exist.
    #[must_use]
    pub fn street(&self, id: u32) -> Street {
        let from = self.offsets.partition_point(|&offset| offset <= id) as u32 - 1;
        self.street_from(from, id)
    }

    fn street_from(&self, from: u32, id: u32) -> Street {
        let n = id as usize;
        Street {
            id,
            from,
            to: self.targets[n],
            length: self.lengths[n],
            speed: self.speeds[n],
            lanes: self.lanes[n],
            class: self.classes[n],
        }
    }

    /// All streets, by their number.
    pub fn iter(&self) -> impl Iterator<Item = Street> {
        (0..self.nodes() as u32).flat_map(move |node| self.leaving(node).map(move |id| self.street_from(node, id)))
    }

    /// The numbers of the streets that leave a node.
    ///
    /// # Panics
    ///
    /// If the node does not exist.
    #[must_use]
    pub fn leaving(&self, node: u32) -> Range<u32> {
        self.offsets[node as usize]..self.offsets[node as usize + 1]
    }

    /// The streets that lead to each node.
    #[must_use]
    pub fn arrivals(&self) -> Arrivals {
        let mut offsets = vec![0_u32; self.nodes() + 1];
        for &to in &self.targets {
            offsets[to as usize + 1] += 1;
        }
        for n in 0..self.nodes() {
            offsets[n + 1] += offsets[n];
        }
        let mut next = offsets.clone();
        let mut streets = vec![0; self.streets()];
        for (id, &to) in self.targets.iter().enumerate() {
            streets[next[to as usize] as usize] = id as u32;
            next[to as usize] += 1;
        }
        Arrivals { offsets, streets }
    }

    /// The return street: from its end to its beginning, with the nearest length.
    ///
    /// # Panics
    ///
    /// If the street does not exist.
    #[must_use]
    pub fn opposite(&self, id: u32) -> Option<u32> {
        let street = self.street(id);
        let back = self.leaving(street.to).filter(|&back| back != id && self.targets[back as usize] == street.from);
        let difference = |back: u32| (self.lengths[back as usize] - street.length).abs();
        back.min_by(|&a, &b| difference(a).total_cmp(&difference(b)))
    }

    /// The signal or sign that makes drivers stop at a node.
    ///
    /// # Panics
    ///
    /// If the node does not exist.
    #[must_use]
    pub fn control(&self, node: u32) -> Control {
        self.controls[node as usize]
    }

    /// Whether nodes have positions: some edge lists have none.
    #[must_use]
    pub fn has_positions(&self) -> bool {
        self.projection.is_some()
    }

    /// The position in metres east and north of the network's middle; 0 without positions.
    ///
    /// # Panics
    ///
    /// If the node does not exist.
    #[must_use]
    pub fn position(&self, node: u32) -> [f32; 2] {
        if self.has_positions() { self.positions[node as usize] } else { [0.0; 2] }
    }

    /// Longitude and latitude of a point in metres, if the network is on the Earth.
    #[must_use]
    pub fn degrees(&self, metres: [f32; 2]) -> Option<[f64; 2]> {
        self.projection.and_then(|projection| projection.degrees(metres))
    }

    /// The points on a street, from its beginning to its end, in metres.
    ///
    /// # Panics
    ///
    /// If the street does not exist.
    pub fn shape(&self, id: u32) -> impl ExactSizeIterator<Item = [f32; 2]> + Clone {
        let street = self.street(id);
        let (points, is_turned) = match self.shapes[id as usize] {
            STRAIGHT => (&[][..], false),
            shape => {
                let n = (shape >> 1) as usize;
                let range = self.shape_offsets[n] as usize..self.shape_offsets[n + 1] as usize;
                (&self.shape_points[range], shape & 1 == 1)
            }
        };
        let ends = [self.position(street.from), self.position(street.to)];
        let last = points.len() + 1;
        (0..last + 1).map(move |n| match n {
            0 => ends[0],
            _ if n == last => ends[1],
            _ if is_turned => points[last - 1 - n],
            _ => points[n - 1],
        })
    }

    /// The map position after this many metres of a street. If shape and length differ, the distance is scaled.
    ///
    /// # Panics
    ///
    /// If the street does not exist.
    #[must_use]
    pub fn position_on(&self, id: u32, metres: f32) -> [f32; 2] {
        let points = self.shape(id);
        let pieces = points.clone().zip(points.skip(1)).map(|(a, b)| (a, b, (b[0] - a[0]).hypot(b[1] - a[1])));
        let whole: f32 = pieces.clone().map(|(_, _, length)| length).sum();
        let mut rest = (metres / self.lengths[id as usize]).clamp(0.0, 1.0) * whole;
        let mut at = self.position(self.targets[id as usize]);
        for (a, b, length) in pieces {
            if rest < length {
                let share = rest / length;
                at = [a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])];
                break;
            }
            rest -= length;
        }
        at
    }

    /// The smallest and largest visible position; `None` without positions.
    #[must_use]
    pub fn bounds(&self) -> Option<[[f32; 2]; 2]> {
        let mut points = self.has_positions().then(|| self.positions.iter().chain(&self.shape_points))?;
        let first = *points.next()?;
        let wider = |[low, high]: [[f32; 2]; 2], point: &[f32; 2]| {
            [[0, 1].map(|d| low[d].min(point[d])), [0, 1].map(|d| high[d].max(point[d]))]
        };
        Some(points.fold([first; 2], wider))
    }

    /// The network with the selected streets only, and with the nodes of these streets.
    ///
    /// ```
    /// use streets::City;
    ///
    /// let all = City { junctions: 300, ..City::default() }.build();
    /// let roads = all.filtered(|street| street.class.has_cars());
    /// assert!(roads.streets() <= all.streets() && roads.iter().all(|street| street.class.has_cars()));
    /// ```
    #[must_use]
    pub fn filtered(&self, wanted: impl Fn(&Street) -> bool) -> Self {
        const GONE: u32 = u32::MAX;
        let mut numbers = vec![GONE; self.nodes()];
        let kept: Vec<Street> = self.iter().filter(|street| wanted(street)).collect();
        for street in &kept {
            numbers[street.from as usize] = 0;
            numbers[street.to as usize] = 0;
        }
        let there = |numbers: &[u32]| (0..numbers.len()).filter(|&n| numbers[n] != GONE).collect::<Vec<_>>();
        let nodes = there(&numbers);
        for (new, &old) in nodes.iter().enumerate() {
            numbers[old] = new as u32;
        }
        let mut shape_numbers = vec![GONE; self.shape_offsets.len() - 1];
        for street in &kept {
            let shape = self.shapes[street.id as usize];
            if shape != STRAIGHT {
                shape_numbers[(shape >> 1) as usize] = 0;
            }
        }
        let shapes = there(&shape_numbers);
        let (mut shape_offsets, mut shape_points) = (vec![0], Vec::new());
        for (new, &old) in shapes.iter().enumerate() {
            shape_numbers[old] = new as u32;
            let range = self.shape_offsets[old] as usize..self.shape_offsets[old + 1] as usize;
            shape_points.extend_from_slice(&self.shape_points[range]);
            shape_offsets.push(shape_points.len() as u32);
        }
        let mut offsets = vec![0_u32; nodes.len() + 1];
        for street in &kept {
            offsets[numbers[street.from as usize] as usize + 1] += 1;
        }
        for n in 0..nodes.len() {
            offsets[n + 1] += offsets[n];
        }
        Self {
            projection: self.projection,
            positions: if self.has_positions() { nodes.iter().map(|&n| self.positions[n]).collect() } else { vec![] },
            controls: nodes.iter().map(|&n| self.controls[n]).collect(),
            offsets,
            targets: kept.iter().map(|street| numbers[street.to as usize]).collect(),
            lengths: kept.iter().map(|street| street.length).collect(),
            speeds: kept.iter().map(|street| street.speed).collect(),
            classes: kept.iter().map(|street| street.class).collect(),
            lanes: kept.iter().map(|street| street.lanes).collect(),
            shapes: kept
                .iter()
                .map(|street| match self.shapes[street.id as usize] {
                    STRAIGHT => STRAIGHT,
                    shape => shape_numbers[(shape >> 1) as usize] << 1 | shape & 1,
                })
                .collect(),
            shape_offsets,
            shape_points,
        }
    }

    /// The length of all streets, each direction counted, in metres.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.lengths.iter().map(|&length| f64::from(length)).sum()
    }

    /// The memory that the network takes, in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let per_node = size_of::<Control>() + size_of::<u32>();
        let per_street = 2 * size_of::<u32>() + 2 * size_of::<f32>() + size_of::<Class>() + size_of::<u8>();
        self.nodes() * per_node
            + self.streets() * per_street
            + (self.positions.len() + self.shape_points.len()) * size_of::<[f32; 2]>()
            + self.shape_offsets.len() * size_of::<u32>()
    }
}

/// The streets that lead to each node, in rows; the counterpart of [`Network::leaving`].
#[derive(Clone, Debug, PartialEq)]
pub struct Arrivals {
    offsets: Vec<u32>,
    streets: Vec<u32>,
}

impl Arrivals {
    /// The numbers of the streets that lead to a node, in ascending order.
    ///
    /// # Panics
    ///
    /// If the node does not exist.
    #[must_use]
    pub fn at(&self, node: u32) -> &[u32] {
        &self.streets[self.offsets[node as usize] as usize..self.offsets[node as usize + 1] as usize]
    }
}
