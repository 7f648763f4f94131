//! The model: actors that move along streets (RUBY §2). Compiled for the host and for the GPU.

use ikra::prelude::*;
use ikra::rng::Random;

/// Seconds from one tick to the next.
pub const SECONDS: f32 = 1.0;
/// An actor passes at most this many junctions in one tick.
const MOST_JUNCTIONS: u32 = 16;

/// The actors that may use a street: bits of [`Street::open`].
pub mod open {
    /// Cars and buses.
    pub const DRIVE: u8 = 1;
    /// Bicycles.
    pub const CYCLE: u8 = 2;
    /// Pedestrians.
    pub const WALK: u8 = 4;
}

/// The weather, which slows down vehicles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Weather {
    /// Full speed.
    Sunny,
    /// Rain.
    Rainy,
    /// Snow.
    Snowy,
}

impl Weather {
    /// The share of its speed that a car keeps.
    pub fn grip(self) -> f32 {
        match self {
            Self::Sunny => 1.0,
            Self::Rainy => 0.7,
            Self::Snowy => 0.4,
        }
    }
}

/// The input of all actors for a tick.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Tick {
    /// The seed of all random numbers.
    pub seed: u32,
    /// The number of the tick.
    pub number: u32,
    /// The weather.
    pub weather: Weather,
}

/// A street in one direction.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Street {
    /// In metres.
    pub length: f32,
    /// The speed limit in metres per second.
    pub limit: f32,
    /// The actors that may use it.
    pub open: u8,
    /// Its weight for the traffic's choice of ways.
    pub weight: u32,
    /// The same street in the other direction.
    pub back: Option<Link<Street>>,
    /// The streets that leave the junction at its end.
    #[inline_array(4)]
    pub onward: InnerArray<Link<Street>>,
    /// The number of actors on it.
    #[atomic]
    pub actors: u32,
}

#[soa_methods]
impl Street {
    /// Resets the count of actors.
    #[kernel]
    pub fn clear(&mut self) {
        self.actors.store(0);
    }

    /// The number of counted actors.
    #[kernel(reduce(Sum))]
    pub fn crowd(&self) -> u64 {
        u64::from(self.actors.load())
    }
}

/// The motion of an actor along a street: common to all classes, and stored in columns of each class.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Motion {
    /// Metres from the beginning of the street.
    pub progress: f32,
    /// Metres in the last tick.
    pub moved: f32,
    /// In metres per second.
    pub max_velocity: f32,
}

impl Motion {
    /// The speed of an actor that goes as fast as it can within a limit.
    pub fn speed(&self, limit: f32) -> f32 {
        if self.max_velocity < limit { self.max_velocity } else { limit }
    }

    /// Moves by some metres; backwards no farther than the beginning of the street.
    pub fn advance(&mut self, metres: f32) {
        self.moved = metres;
        let progress = self.progress + metres;
        self.progress = if progress < 0.0 { 0.0 } else { progress };
    }

    /// Whether it is between the ends of a street.
    pub fn is_within(&self, length: f32) -> bool {
        self.progress >= 0.0 && self.progress <= length
    }
}

/// A car: as fast as it can go, and as the street and the weather allow.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    /// Its street.
    pub street: Link<Street>,
    /// The street where it begins again if a street leads off the map.
    pub home: Link<Street>,
    /// Its motion along the street.
    #[soa(flatten)]
    pub motion: Motion,
}

/// A bus: a slow car that waits at stops.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Bus {
    /// Its street.
    pub street: Link<Street>,
    /// The street where it begins again if a street leads off the map.
    pub home: Link<Street>,
    /// Its motion along the street.
    #[soa(flatten)]
    pub motion: Motion,
    /// Ticks until it leaves the stop.
    pub waits: u32,
}

/// A cyclist: the weather slows it down half as much as a car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Cyclist {
    /// Its street.
    pub street: Link<Street>,
    /// The street where it begins again if a street leads off the map.
    pub home: Link<Street>,
    /// Its motion along the street.
    #[soa(flatten)]
    pub motion: Motion,
}

/// A pedestrian, who strolls: at any speed up to the largest, or backwards at up to half of it.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Pedestrian {
    /// Its street.
    pub street: Link<Street>,
    /// The street where it begins again if a street leads off the map.
    pub home: Link<Street>,
    /// Its motion along the street.
    #[soa(flatten)]
    pub motion: Motion,
}

/// An actor that moves along streets.
#[soa_dispatch(Car, Bus, Cyclist, Pedestrian)]
pub trait Actor {
    /// A number for each class, so that a car and a pedestrian with the same number draw different random numbers.
    const KIND: u32;
    /// The actor class as a bit of [`Street::open`].
    const USES: u8;
    /// Whether it prefers large streets.
    const PREFERS_LARGE: bool;

    /// Moves for a second.
    #[kernel]
    fn tick(&mut self, tick: Tick);

    /// Is counted by its street.
    #[kernel]
    fn stand(&self) {
        self.street.actors().add(1);
    }

    /// Whether it is between the ends of a street that it may use.
    #[kernel(reduce(All))]
    fn is_on_street(&self) -> bool {
        self.motion.is_within(self.street.length()) && self.street.open() & Self::USES != 0
    }

    /// How far it came in the last tick, in metres.
    #[kernel(reduce(Sum))]
    fn metres(&self) -> f64 {
        f64::from(self.motion.moved)
    }

    /// Its own random numbers for a tick.
    fn random(&self, tick: Tick) -> Random {
        Random::new(u64::from(tick.seed) << 32 | u64::from(Self::KIND), self.link().id(), tick.number)
    }

    /// Moves by some metres, at junctions into a random other street. It turns back only if no other way leads on.
    fn go(&mut self, metres: f32, random: Random) {
        let mut random = random;
        (&mut self.motion).advance(metres);
        let mut junctions = 0;
        while self.motion.progress >= self.street.length() && junctions < MOST_JUNCTIONS {
            self.motion.progress -= self.street.length();
            let mut next = None;
            let mut weights = 0;
            for street in self.street.onward() {
                let is_back = self.street.back().is_some_and(|back| back.link() == street.link());
                if street.open() & Self::USES != 0 && !is_back {
                    let weight = if Self::PREFERS_LARGE { street.weight() } else { 1 };
                    weights += weight;
                    if random.below(weights) < weight {
                        next = Some(street);
                    }
                }
            }
            self.street = match (next, self.street.back()) {
                (Some(street), _) => street,
                (None, Some(back)) if back.open() & Self::USES != 0 => back,
                // It leaves the map, and enters it elsewhere.
                _ => self.home,
            };
            junctions += 1;
        }
        let length = self.street.length();
        if self.motion.progress > length {
            self.motion.progress = length;
        }
    }
}

#[soa_methods]
impl Actor for Car {
    const KIND: u32 = 1;
    const USES: u8 = open::DRIVE;
    const PREFERS_LARGE: bool = true;

    fn tick(&mut self, tick: Tick) {
        let speed = self.motion.speed(self.street.limit());
        self.go(speed * tick.weather.grip() * SECONDS, self.random(tick));
    }
}

#[soa_methods]
impl Actor for Bus {
    const KIND: u32 = 2;
    const USES: u8 = open::DRIVE;
    const PREFERS_LARGE: bool = true;

    fn tick(&mut self, tick: Tick) {
        if self.waits > 0 {
            self.waits -= 1;
            self.motion.moved = 0.0;
        } else {
            let before = self.street.link();
            let speed = self.motion.speed(self.street.limit());
            self.go(speed * tick.weather.grip() * SECONDS, self.random(tick));
            // About every second street has a stop in its first metres.
            if self.street.link() != before && before.id() % 2 == 0 {
                self.waits = 12;
            }
        }
    }
}

#[soa_methods]
impl Actor for Cyclist {
    const KIND: u32 = 3;
    const USES: u8 = open::CYCLE;
    const PREFERS_LARGE: bool = false;

    fn tick(&mut self, tick: Tick) {
        let grip = 0.5 + 0.5 * tick.weather.grip();
        self.go(self.motion.max_velocity * grip * SECONDS, self.random(tick));
    }
}

#[soa_methods]
impl Actor for Pedestrian {
    const KIND: u32 = 4;
    const USES: u8 = open::WALK;
    const PREFERS_LARGE: bool = false;

    fn tick(&mut self, tick: Tick) {
        let mut random = self.random(tick);
        let share = 1.5 * random.uniform_f32() - 0.5;
        self.go(share * self.motion.max_velocity * SECONDS, random);
    }
}

/// The world.
#[soa_world]
pub struct Town {
    /// Streets.
    pub streets: Objects<Street>,
    /// Cars.
    pub cars: Objects<Car>,
    /// Buses.
    pub buses: Objects<Bus>,
    /// Cyclists.
    pub cyclists: Objects<Cyclist>,
    /// Pedestrians.
    pub pedestrians: Objects<Pedestrian>,
}
