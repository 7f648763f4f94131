//! Streets as cells.

use std::f32::consts::{PI, TAU};

use streets::{Control, Network, NoMemory, room_for};

use crate::parameters::{Lights, Parameters};
use crate::rows::Rows;

/// Cells of a turn lane.
const TURN_LANE: u32 = 4;
/// Stands for "no group".
pub(crate) const NO_LIGHT: u32 = u32::MAX;

/// The cells of streets, and the controllers of junctions.
///
/// The cells of a street are consecutive. If a street with several lanes leads to a junction with several ways on, its
/// last cells are parallel turn lanes. Each lane leads to some of the ways; all have the same light.
///
/// ```
/// use traffic::{Parameters, Roads};
///
/// let (network, _) = streets::Network::from_bytes("one.txt", b"1 2 50\n2 1 30\n").unwrap();
/// let roads = Roads::new(&network, &Parameters::default()).unwrap();
/// assert_eq!(roads.cells(), 16);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Roads {
    /// The speed limit of each cell in cells per step.
    pub(crate) limits: Vec<u8>,
    /// The weight of each cell for the traffic's choice of ways.
    pub(crate) weights: Vec<u16>,
    /// The next cells of each cell.
    pub(crate) outgoing: Rows,
    /// The cells of each signal group.
    pub(crate) groups: Rows,
    /// The street of each signal group.
    pub(crate) group_streets: Vec<u32>,
    /// The consecutive groups of a controller are `groups[first..first of the next]`.
    pub(crate) controllers: Vec<Controls>,
    /// The cells of each street, by its number in the network.
    pub(crate) streets: Vec<StreetCells>,
    /// Metres per cell.
    pub(crate) cell_length: f32,
}

/// The kind of a junction's controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Kind {
    Light,
    Smart,
    Yield,
}

/// The controller of a junction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Controls {
    pub(crate) kind: Kind,
    /// The node.
    pub(crate) junction: u32,
    /// Its first signal group.
    pub(crate) first: u32,
    /// The number of its groups.
    pub(crate) count: u32,
}

/// The cells of a street: the cells of its first lane, then the cells of further turn lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StreetCells {
    /// The first cell's number.
    pub(crate) first: u32,
    /// The number of cells from its beginning to its end; 0 if cars may not use it.
    pub(crate) length: u32,
    /// The number of turn lanes; 1 if the street is not split.
    pub(crate) lanes: u32,
    /// The number of cells of a turn lane.
    pub(crate) lane: u32,
}

/// The reason why streets cannot be divided into cells.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RoadsError {
    /// No street is open to cars.
    #[error("there is no street that cars may use")]
    NoStreets,
    /// There are too many cells to be numbered.
    #[error("the streets have {cells} cells of {cell_length} m, and at most {} are possible: make the cells longer", u32::MAX / 4)]
    TooManyCells {
        /// The number of cells that it would have.
        cells: u64,
        /// Metres per cell.
        cell_length: f32,
    },
    /// The cells need more memory than is free.
    #[error(
        "the streets have {cells} cells of {cell_length} m: {memory}; make the cells longer, or choose a smaller area"
    )]
    NoMemory {
        /// The number of cells that it would have.
        cells: u64,
        /// Metres per cell.
        cell_length: f32,
        /// The memory that they need.
        memory: NoMemory,
    },
    /// A parameter has an impossible value.
    #[error("{name} is {value}: it must be {expected}")]
    BadParameter {
        /// The name of the parameter.
        name: &'static str,
        /// Its value.
        value: f32,
        /// The possible values.
        expected: &'static str,
    },
}

impl StreetCells {
    /// The number of cells.
    pub(crate) fn cells(self) -> u64 {
        u64::from(self.length) + u64::from(self.lanes - 1) * u64::from(self.lane)
    }

    /// The first cell of a turn lane.
    fn lane_start(self, lane: u32) -> u32 {
        self.first + self.length - self.lane + lane * self.lane
    }

    /// The last cell of each turn lane.
    fn ends(self) -> impl Iterator<Item = u32> {
        (0..self.lanes).map(move |lane| self.first + self.length - 1 + lane * self.lane)
    }

    /// The distance of a cell from the beginning, in cells.
    fn place(self, cell: u32) -> u32 {
        let n = cell - self.first;
        if n < self.length { n } else { self.length - self.lane + (n - self.length) % self.lane }
    }
}

impl Roads {
    /// The cells of a network's streets, as far as cars may use them.
    ///
    /// # Errors
    ///
    /// The network has no or too many such cells; a parameter has an impossible value.
    pub fn new(network: &Network, parameters: &Parameters) -> Result<Self, RoadsError> {
        let cell_length = parameters.cell_length;
        let bad = |name, value, expected| Err(RoadsError::BadParameter { name, value, expected });
        if !(cell_length > 0.0 && cell_length.is_finite()) {
            return bad("the length of a cell", cell_length, "more than 0 metres");
        }
        if !(parameters.seconds > 0.0 && parameters.seconds.is_finite()) {
            return bad("the length of a step", parameters.seconds, "more than 0 seconds");
        }
        let onward = onward(network);
        let mut streets = Vec::with_capacity(network.streets());
        let mut cells = 0_u64;
        for street in network.iter() {
            let mut made = StreetCells { first: cells as u32, length: 0, lanes: 1, lane: 0 };
            if street.class.has_cars() {
                made.length = (street.length / cell_length).round().max(1.0) as u32;
                made.lanes = u32::from(street.lanes).min(onward.row(street.id as usize).len() as u32).max(1);
                made.lane = TURN_LANE.min(made.length - 1);
                if made.lane == 0 || made.lanes == 1 {
                    (made.lanes, made.lane) = (1, 0);
                }
            }
            cells += made.cells();
            streets.push(made);
        }
        let mut roads = Self::empty(streets, cells, onward.values.len(), cell_length)?;
        for street in network.iter() {
            roads.lay(street.id as usize, parameters.cells_per_step(street.speed), onward.row(street.id as usize));
            let made = roads.streets[street.id as usize];
            if made.length > 0 {
                roads.weights[made.first as usize] = street.class.weight() as u16;
            }
        }
        roads.weigh_lanes();
        roads.control(network, parameters.lights);
        Ok(roads)
    }

    /// A ring of cells with the same speed limit, which is street 0.
    ///
    /// # Errors
    ///
    /// The ring has no cells, or too many.
    pub fn ring(cells: u32, max_velocity: u32, cell_length: f32) -> Result<Self, RoadsError> {
        let street = StreetCells { first: 0, length: cells, lanes: 1, lane: 0 };
        let mut roads = Self::empty(vec![street], cells.into(), 1, cell_length)?;
        roads.lay(0, max_velocity.clamp(1, Parameters::MOST_VELOCITY), &[0]);
        Ok(roads)
    }

    /// Streets without cells yet, with capacity for this many cells, and for this many ways from street to street.
    fn empty(streets: Vec<StreetCells>, cells: u64, ways: usize, cell_length: f32) -> Result<Self, RoadsError> {
        match cells {
            0 => return Err(RoadsError::NoStreets),
            1.. if cells > u64::from(u32::MAX / 4) => return Err(RoadsError::TooManyCells { cells, cell_length }),
            _ => {}
        }
        // A street has at most as many turn lanes as ways on.
        let values = cells as usize + 2 * ways;
        let bytes = (size_of::<u8>() + size_of::<u16>() + size_of::<u32>()) as u64 * cells + 4 * values as u64;
        room_for(bytes).map_err(|memory| RoadsError::NoMemory { cells, cell_length, memory })?;
        Ok(Self {
            limits: Vec::with_capacity(cells as usize),
            weights: vec![1; cells as usize],
            outgoing: Rows::with_capacity(cells as usize, values),
            groups: Rows::new(),
            group_streets: Vec::new(),
            controllers: Vec::new(),
            streets,
            cell_length,
        })
    }

    /// The number of cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.limits.len()
    }

    /// The number of signal groups; each belongs to a street that leads to a junction with a controller.
    #[must_use]
    pub fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The numbers of ordinary traffic lights, smart traffic lights, and yield controllers.
    #[must_use]
    pub fn controllers(&self) -> [usize; 3] {
        let count = |kind| self.controllers.iter().filter(|controls| controls.kind == kind).count();
        [Kind::Light, Kind::Smart, Kind::Yield].map(count)
    }

    /// The mean speed limit of all cells, in cells per step.
    #[must_use]
    pub fn mean_limit(&self) -> f64 {
        self.limits.iter().map(|&limit| f64::from(limit)).sum::<f64>() / self.cells() as f64
    }

    /// The street of a cell, and the distance from the street's beginning to the cell's middle in metres.
    ///
    /// # Panics
    ///
    /// If the cell does not exist.
    #[must_use]
    pub fn place(&self, cell: u32) -> (u32, f32) {
        assert!((cell as usize) < self.cells(), "no cell {cell}");
        // A street without cells begins where the next one does.
        let street = self.streets.partition_point(|street| street.first <= cell) - 1;
        (street as u32, (self.streets[street].place(cell) as f32 + 0.5) * self.cell_length)
    }

    /// Adds the next cells, for a street.
    fn lay(&mut self, street: usize, limit: u32, onward: &[u32]) {
        let made = self.streets[street];
        if made.length == 0 {
            return;
        }
        let begins = |street: u32, streets: &[StreetCells]| streets[street as usize].first;
        self.limits.resize(self.limits.len() + made.cells() as usize, limit as u8);
        let fork = made.first + made.length - 1 - made.lane;
        for n in 0..made.cells() as u32 {
            let cell = made.first + n;
            if made.lanes > 1 && cell == fork {
                self.outgoing.push((0..made.lanes).map(|lane| made.lane_start(lane)));
            } else if let Some(lane) = made.ends().position(|end| end == cell) {
                // The lanes share the ways on, from left to right.
                let (lane, lanes) = (lane, made.lanes as usize);
                let share = onward.len() * lane / lanes..onward.len() * (lane + 1) / lanes;
                let streets = &self.streets;
                self.outgoing.push(onward[share].iter().map(|&next| begins(next, streets)));
            } else {
                self.outgoing.push([cell + 1]);
            }
        }
    }

    /// The weight of a turn lane is the sum of the weights of the streets that it leads to.
    fn weigh_lanes(&mut self) {
        for made in self.streets.iter().filter(|made| made.lanes > 1) {
            for (lane, end) in made.ends().enumerate() {
                let weights =
                    self.outgoing.row(end as usize).iter().map(|&next| u32::from(self.weights[next as usize]));
                let weight = weights.sum::<u32>().clamp(1, u32::from(u16::MAX));
                self.weights[made.lane_start(lane as u32) as usize] = weight as u16;
            }
        }
    }

    /// Adds controllers to junctions.
    fn control(&mut self, network: &Network, lights: Lights) {
        let arrivals = network.arrivals();
        for node in 0..network.nodes() as u32 {
            let kind = match (network.control(node), lights) {
                (Control::Lights, Lights::Smart) => Kind::Smart,
                (Control::Lights, Lights::RoundRobin) => Kind::Light,
                (Control::Yield | Control::Stop, _) => Kind::Yield,
                (Control::None | Control::Crossing, _) => continue,
            };
            let streets = arrivals.at(node).iter().map(|&id| network.street(id));
            let mut streets: Vec<_> = streets.filter(|street| street.class.has_cars()).collect();
            if streets.is_empty() {
                continue;
            }
            if kind == Kind::Yield {
                streets.sort_by_key(|street| street.class);
            }
            let first = self.groups.len() as u32;
            self.controllers.push(Controls { kind, junction: node, first, count: streets.len() as u32 });
            for street in streets {
                self.groups.push(self.streets[street.id as usize].ends());
                self.group_streets.push(street.id);
            }
        }
    }

    /// The group of each cell's light, or [`NO_LIGHT`].
    pub(crate) fn lights(&self) -> Vec<u32> {
        let mut lights = vec![NO_LIGHT; self.cells()];
        for group in 0..self.groups.len() {
            for &cell in self.groups.row(group) {
                lights[cell as usize] = group as u32;
            }
        }
        lights
    }
}

/// The streets that cars may enter from each street, from left to right. Turning back is possible only without another
/// way.
fn onward(network: &Network) -> Rows {
    let mut onward = Rows::new();
    for street in network.iter() {
        let may = |&id: &u32| network.street(id).class.has_cars();
        let back = network.opposite(street.id);
        let mut ways: Vec<u32> = network.leaving(street.to).filter(|&id| Some(id) != back).filter(may).collect();
        if ways.is_empty() {
            ways.extend(back.filter(may));
        }
        if ways.len() > 1 && network.has_positions() {
            let arrives = direction(network.shape(street.id).skip(network.shape(street.id).len() - 2));
            let turn = |id: u32| {
                let leaves = direction(network.shape(id));
                // From 0, sharp left, to a full turn.
                (arrives + PI - leaves).rem_euclid(TAU)
            };
            ways.sort_by(|&a, &b| turn(a).total_cmp(&turn(b)).then(a.cmp(&b)));
        }
        onward.push(ways);
    }
    onward
}

/// The direction from the first point to the second, in radians.
fn direction(mut points: impl Iterator<Item = [f32; 2]>) -> f32 {
    match (points.next(), points.next()) {
        (Some(a), Some(b)) => (b[1] - a[1]).atan2(b[0] - a[0]),
        _ => 0.0,
    }
}
