//! Made-up cities.
//!
//! Junctions lie on a grid that grows from the middle to an uneven outline. It is bent like terrain, denser in the
//! middle, and cut by a river that only arterials cross. Rows and columns are streets: a motorway, primary, secondary
//! and tertiary streets at their distances, and residential ones between; parks have footways. A random spanning tree,
//! open in both directions, connects all junctions. Further streets, some of them one-way, complete the number.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::f32::consts::{PI, TAU};
use std::str::FromStr;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::{Builder, Class, Control, Coordinates, Network, Traits};

/// A generator of cities: the same numbers give the same city on any machine.
///
/// ```
/// use streets::{City, Control};
///
/// let network = City { junctions: 1000, streets: Some(3000), seed: 7, ..City::default() }.build();
/// assert_eq!((network.nodes(), network.streets()), (1000, 3000));
/// let lights = (0..1000).filter(|&node| network.control(node) == Control::Lights).count();
/// assert!(lights > 20);
///
/// let small: City = "small".parse().unwrap();
/// assert!(small.junctions < 1000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct City {
    /// The number of junctions; 2 or more.
    pub junctions: u32,
    /// The number of streets, counting each direction. By default three for each junction; it is limited to the range
    /// that the grid allows.
    pub streets: Option<u32>,
    /// Metres from one junction to the next, in the middle of the city.
    pub block: f32,
    /// The number of traffic lights: at the most important junctions. By default, wherever arterials cross.
    pub lights: Option<u32>,
    /// The number of junctions where drivers yield: the next important ones. By default, wherever side streets meet
    /// arterials.
    pub yields: Option<u32>,
    /// The seed.
    pub seed: u64,
}

impl City {
    /// As large as the network of INNER §5.3 (Denver): 62,819 lights, 4,792 junctions where drivers yield, 205,129
    /// streets that end at these, and 8.3 million cells of 5 m.
    pub const DENVER: Self = Self {
        junctions: 62_819 + 4_792,
        streets: Some(205_129),
        block: 138.1,
        lights: Some(62_819),
        yields: Some(4_792),
        seed: 1,
    };

    /// The names of cities, with their numbers of junctions.
    const NAMED: [(&'static str, u32); 4] = [("blocks", 40), ("small", 600), ("medium", 6_000), ("large", 30_000)];
}

impl Default for City {
    /// A small city.
    fn default() -> Self {
        Self { junctions: 600, streets: None, block: 120.0, lights: None, yields: None, seed: 1 }
    }
}

/// A name that does not belong to any city.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCity;

impl std::fmt::Display for UnknownCity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = City::NAMED.iter().map(|(name, _)| *name).collect();
        write!(f, "no such city: there are {} and denver", names.join(", "))
    }
}

impl std::error::Error for UnknownCity {}

impl FromStr for City {
    type Err = UnknownCity;

    fn from_str(name: &str) -> Result<Self, UnknownCity> {
        if name == "denver" {
            return Ok(Self::DENVER);
        }
        let (_, junctions) = *Self::NAMED.iter().find(|(other, _)| *other == name).ok_or(UnknownCity)?;
        Ok(Self { junctions, ..Self::default() })
    }
}

/// A position on the grid.
type Place = [i32; 2];

/// The streets along the grid's rows and columns, and the shapes that bend the grid.
struct Plan {
    /// Row of the motorway.
    motorway: i32,
    /// The radius of the city in blocks.
    radius: f32,
    block: f32,
    /// Wave number, phase and height of the waves that bend the grid: two in each direction.
    bends: [[f32; 4]; 4],
    /// Wave number, phase and height of the river's course, and its position.
    river: [f32; 4],
    /// Middle and radius of parks.
    parks: Vec<[f32; 3]>,
    turn: f32,
}

/// A street between neighbours on the grid.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    class: Class,
    /// A random rank: streets with a smaller rank are chosen earlier.
    rank: u32,
}

impl City {
    /// The largest memory use of [`build`](Self::build), in bytes, for [`room_for`](crate::room_for).
    #[must_use]
    pub fn bytes(&self) -> u64 {
        /// Junctions and their positions, neighbours, streets, and shapes during construction.
        const PER_JUNCTION: u64 = 900;
        PER_JUNCTION * u64::from(self.junctions)
    }

    /// The network. Positions are in metres around the middle.
    ///
    /// # Panics
    ///
    /// If there are fewer than 2 junctions or more than 2³⁰, or the block has no length.
    #[must_use]
    pub fn build(&self) -> Network {
        assert!((2..1 << 30).contains(&self.junctions), "a city has 2 junctions or more, and less than 2³⁰");
        assert!(self.block > 0.0 && self.block < 1e5, "a block has a length");
        let mut random = ChaCha8Rng::seed_from_u64(self.seed);
        let plan = Plan::new(self, &mut random);
        let places = plan.grow(self.junctions as usize, &mut random);
        let edges = self.choose(plan.edges(&places, &mut random), &mut random);
        let jitter: Vec<[f32; 2]> = places.iter().map(|&place| plan.jitter(place, &mut random)).collect();
        let mut builder = Builder::new(Coordinates::Metres);
        for (&place, &jitter) in places.iter().zip(&jitter) {
            let [x, y] = plan.position([place[0] as f32, place[1] as f32]);
            builder.node([x + jitter[0], y + jitter[1]].map(f64::from));
        }
        for &(edge, is_one_way) in &edges {
            let [a, b] = [edge.from, edge.to].map(|n| places[n as usize].map(|at| at as f32));
            let [ja, jb] = [edge.from, edge.to].map(|n| jitter[n as usize]);
            let bow = if edge.class >= Class::Residential && random.random_bool(0.3) {
                random.random_range(-0.16..0.16) * self.block
            } else {
                0.0
            };
            let mut points = vec![];
            for share in [0.25_f32, 0.5, 0.75] {
                let between = |a: [f32; 2], b: [f32; 2]| [0, 1].map(|d| a[d] + share * (b[d] - a[d]));
                let ([x, y], jitter) = (plan.position(between(a, b)), between(ja, jb));
                let side = bow * (share * PI).sin();
                let across = [b[1] - a[1], b[0] - a[0]];
                points.push([x + jitter[0] + side * across[0], y + jitter[1] + side * across[1]].map(f64::from));
            }
            let lanes = match edge.class {
                Class::Motorway => 3,
                Class::Primary | Class::Trunk => 2,
                _ => 1,
            };
            let (mut from, mut to) = (edge.from, edge.to);
            if is_one_way && random.random_bool(0.5) {
                (from, to) = (to, from);
                points.reverse();
            }
            let street = builder.street(from, to, Traits { lanes, ..Traits::usual(edge.class) }, &points);
            if !is_one_way {
                builder.back(street);
            }
        }
        for (node, control) in self.controls(&edges).into_iter().enumerate() {
            builder.control(node as u32, control);
        }
        builder.build()
    }

    /// The streets, and which of them are one-way.
    fn choose(&self, mut edges: Vec<Edge>, random: &mut ChaCha8Rng) -> Vec<(Edge, bool)> {
        for n in (1..edges.len()).rev() {
            edges.swap(n, random.random_range(0..=n));
        }
        edges.sort_by_key(|edge| edge.rank);
        let mut sets = Sets((0..self.junctions).collect());
        let (tree, others): (Vec<Edge>, Vec<Edge>) = edges.into_iter().partition(|edge| sets.join(edge.from, edge.to));
        let wanted = self.streets.map_or(3 * self.junctions as usize, |streets| streets as usize);
        let rest = wanted.saturating_sub(2 * tree.len()).min(2 * others.len());
        // One-way streets need more room: a whole edge each, while two directions share an edge.
        let mut one_way = (rest * 15 / 100).min(2 * others.len() - rest);
        one_way -= (rest - one_way) % 2;
        if (rest - one_way) % 2 == 1 {
            one_way += 1;
        }
        let two_way = (rest - one_way) / 2;
        let both = tree.into_iter().chain(others.iter().copied().take(two_way)).map(|edge| (edge, false));
        let one = others.iter().copied().skip(two_way).take(one_way).map(|edge| (edge, true));
        both.chain(one).collect()
    }

    /// The signal or sign that makes drivers stop at each junction.
    fn controls(&self, edges: &[(Edge, bool)]) -> Vec<Control> {
        let n = self.junctions as usize;
        let mut degrees = vec![0_u32; n];
        let mut arterials = vec![0_u32; n];
        let mut weights = vec![0_u32; n];
        for (edge, _) in edges.iter().filter(|(edge, _)| edge.class.has_cars()) {
            for node in [edge.from, edge.to].map(|node| node as usize) {
                degrees[node] += 1;
                arterials[node] += u32::from(edge.class <= Class::Tertiary);
                weights[node] += edge.class.weight();
            }
        }
        let mut controls: Vec<Control> = (0..n)
            .map(|node| match (degrees[node], arterials[node]) {
                (3.., 3..) if self.lights.is_none() => Control::Lights,
                (3.., 1..) if self.yields.is_none() => Control::Yield,
                _ => Control::None,
            })
            .collect();
        let mut ranked: Vec<usize> = (0..n).filter(|&node| controls[node] == Control::None).collect();
        ranked.sort_by_key(|&node| Reverse((degrees[node] > 2, weights[node])));
        let mut ranked = ranked.into_iter();
        for (count, control) in [(self.lights, Control::Lights), (self.yields, Control::Yield)] {
            for node in ranked.by_ref().take(count.unwrap_or(0) as usize) {
                controls[node] = control;
            }
        }
        controls
    }
}

impl Plan {
    fn new(city: &City, random: &mut ChaCha8Rng) -> Self {
        let radius = (city.junctions as f32 / PI).sqrt();
        // Long waves bend the city as a whole, and short ones its quarters.
        let bends = [1.1, 2.7, 1.3, 3.1].map(|waves: f32| {
            let wave = TAU * waves / (2.0 * radius.max(6.0));
            [wave, random.random_range(0.0..TAU), random.random_range(0.35..0.6) / wave, random.random_range(-0.5..0.5)]
        });
        let mut within = |share: f32| random.random_range(-share..share) * radius;
        let river = [TAU / (2.2 * radius.max(6.0)), within(1.0), 0.18 * radius, within(0.35)];
        let motorway = (within(0.15) - 0.3 * radius) as i32;
        let parks = (0..3 + city.junctions / 4000)
            .map(|_| {
                let (angle, far) = (random.random_range(0.0..TAU), random.random_range(0.2..0.9) * radius);
                [angle.cos() * far, angle.sin() * far, (radius * random.random_range(0.05..0.12)).max(1.5)]
            })
            .collect();
        Self { motorway, radius, block: city.block, bends, river, parks, turn: random.random_range(-0.4..0.4) }
    }

    /// The class of the streets along a row or column.
    fn line(&self, at: i32) -> Class {
        match at.rem_euclid(12) {
            0 => Class::Primary,
            6 => Class::Secondary,
            3 | 9 => Class::Tertiary,
            _ => Class::Residential,
        }
    }

    fn column(&self, x: i32) -> Class {
        self.line(x)
    }

    fn row(&self, y: i32) -> Class {
        if y == self.motorway && self.radius > 12.0 { Class::Motorway } else { self.line(y - self.motorway - 4) }
    }

    /// Blocks to the north of the river.
    fn river_side(&self, [x, y]: [f32; 2]) -> f32 {
        let [wave, phase, height, middle] = self.river;
        y - (middle + 0.3 * self.radius + height * (wave * x + phase).sin())
    }

    /// Whether the position is uninhabitable: in the river, without a bridge.
    fn is_wet(&self, place: Place) -> bool {
        let on_bridge = self.column(place[0]) <= Class::Secondary;
        self.radius > 8.0 && !on_bridge && self.river_side(place.map(|at| at as f32)).abs() < 0.8
    }

    fn is_park(&self, place: Place) -> bool {
        self.radius > 6.0
            && self.parks.iter().any(|&[x, y, radius]| (place[0] as f32 - x).hypot(place[1] as f32 - y) < radius)
    }

    /// The grid positions of junctions: the connected ones that are nearest to the middle, by an uneven measure.
    /// Neighbours have nearby numbers.
    fn grow(&self, count: usize, random: &mut ChaCha8Rng) -> Vec<Place> {
        let lobes =
            [2.0_f32, 3.0, 5.0].map(|lobes| (lobes, random.random_range(0.0..TAU), random.random_range(0.0..0.12)));
        let far = |place: Place| {
            let [x, y] = place.map(|at| at as f32);
            let angle = y.atan2(x);
            let uneven: f32 = lobes.iter().map(|(lobes, phase, height)| height * (lobes * angle + phase).sin()).sum();
            // Integers have a total order, and are the same on every machine.
            (x.hypot(y) * (1.0 + uneven) * 1024.0) as u32
        };
        let (mut seen, mut places) = (std::collections::HashSet::from([[0, 0]]), Vec::with_capacity(count));
        let mut next = BinaryHeap::from([Reverse((0, [0, 0]))]);
        while places.len() < count {
            let Some(Reverse((_, place))) = next.pop() else { unreachable!("the grid has no end") };
            places.push(place);
            for [dx, dy] in [[1, 0], [0, 1], [-1, 0], [0, -1]] {
                let neighbour = [place[0] + dx, place[1] + dy];
                if !self.is_wet(neighbour) && seen.insert(neighbour) {
                    next.push(Reverse((far(neighbour), neighbour)));
                }
            }
        }
        const SQUARE: i32 = 16;
        places.sort_unstable_by_key(|&[x, y]| [y.div_euclid(SQUARE), x.div_euclid(SQUARE), y, x]);
        places
    }

    /// All streets that fit on the grid.
    fn edges(&self, places: &[Place], random: &mut ChaCha8Rng) -> Vec<Edge> {
        let numbers: std::collections::HashMap<Place, u32> =
            places.iter().enumerate().map(|(n, &place)| (place, n as u32)).collect();
        let mut edges = Vec::with_capacity(2 * places.len());
        for (from, &place) in places.iter().enumerate() {
            for (along, other) in [(0, [place[0] + 1, place[1]]), (1, [place[0], place[1] + 1])] {
                let Some(&to) = numbers.get(&other) else { continue };
                let mut class = if along == 0 { self.row(place[1]) } else { self.column(place[0]) };
                let is_arterial = class <= Class::Tertiary;
                if !is_arterial && self.is_park(place) && self.is_park(other) {
                    class = Class::Footway;
                } else if !is_arterial && random.random_bool(0.06) {
                    class = Class::Service;
                }
                // Only arterials lead to the motorway.
                let at_motorway =
                    along == 1 && [place[1], other[1]].into_iter().any(|y| self.row(y) == Class::Motorway);
                let is_late = at_motorway && !is_arterial;
                let rank = match class {
                    _ if is_late => 100,
                    Class::Footway => 50,
                    Class::Service => 40,
                    Class::Residential => 30,
                    _ => class as u32,
                };
                edges.push(Edge { from: from as u32, to, class, rank });
            }
        }
        edges
    }

    /// The offset of a junction from its grid position: small on arterials, and smallest across them.
    fn jitter(&self, place: Place, random: &mut ChaCha8Rng) -> [f32; 2] {
        let loose = |class: Class| match class {
            Class::Motorway => 0.02,
            Class::Primary | Class::Secondary => 0.05,
            Class::Tertiary => 0.09,
            _ => 0.2,
        };
        [self.column(place[0]), self.row(place[1])].map(|class| {
            let most = loose(class) * self.block;
            random.random_range(-most..most)
        })
    }

    /// The location of a grid position, in metres.
    fn position(&self, at: [f32; 2]) -> [f32; 2] {
        let wave = |[wave, phase, height, slant]: [f32; 4], along: f32, across: f32| {
            0.35 * height * (wave * (along + slant * across) + phase).sin()
        };
        let [a, b, c, d] = self.bends;
        let x = at[0] + wave(a, at[1], at[0]) + wave(b, at[1], at[0]);
        let y = at[1] + wave(c, at[0], at[1]) + wave(d, at[0], at[1]);
        // Farther out, blocks are larger.
        let out = 1.0 + 0.4 * ((x * x + y * y) / (self.radius * self.radius)).min(2.0);
        let (sine, cosine) = self.turn.sin_cos();
        [x * cosine - y * sine, x * sine + y * cosine].map(|value| value * out * self.block)
    }
}

/// Sets of connected junctions.
struct Sets(Vec<u32>);

impl Sets {
    fn root(&mut self, mut at: u32) -> u32 {
        while self.0[at as usize] != at {
            let above = self.0[at as usize];
            self.0[at as usize] = self.0[above as usize];
            at = above;
        }
        at
    }

    /// Joins two sets; returns false if they were one already.
    fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
