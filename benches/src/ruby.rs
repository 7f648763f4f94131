//! Objects of three classes in no order, for the microbenchmarks of Ikra-Ruby (RUBY §5): a kernel over them by class or
//! as they come, in columns, in rows, and in `Rc`s. Also objects of up to 32 classes, whose links are put in order.
//!
//! All objects have the same eight fields, 32 bytes, of which a kernel accesses three or four.

mod plain;
pub mod types;

pub use plain::{InColumns, InRcs, InRows, State, Streets};

/// The number of streets. Their columns stay in the caches.
pub const STREETS: u32 = 10_000;
/// The share of its speed that a vehicle keeps in the rain.
pub const GRIP: f32 = 0.7;
/// The ticks that a bus waits at the beginning of a street.
pub const STOP: u32 = 3;

/// A class of actors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Half of all.
    Car,
    /// One in ten.
    Bus,
    /// The others.
    Pedestrian,
}

/// All bits of a number mixed (Steele's and Vigna's finaliser).
pub(crate) fn mixed(number: u64) -> u64 {
    let mut bits = number.wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ bits >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ bits >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ bits >> 31
}

/// The class of an object.
pub fn kind(object: u32) -> Kind {
    match mixed(u64::from(object)) % 10 {
        0..5 => Kind::Car,
        5 => Kind::Bus,
        _ => Kind::Pedestrian,
    }
}

/// The length of a street in metres, and the street after it.
pub fn street(street: u32) -> (f32, u32) {
    let bits = mixed(u64::from(street) << 32);
    (30.0 + (bits % 170) as f32, (bits >> 32) as u32 % STREETS)
}

/// The fields of an object. The last three are read by no kernel.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The number of its street.
    pub street: u32,
    /// Metres from the beginning of the street.
    pub progress: f32,
    /// In metres per tick.
    pub max_velocity: f32,
    /// The state of its random numbers.
    pub random: u32,
    /// Ticks until it moves on.
    pub waits: u32,
    /// Its number.
    pub number: u32,
    /// Its colour.
    pub colour: u32,
    /// The tick of its first move.
    pub born: u32,
}

/// An object at the beginning.
pub fn row(object: u32) -> Row {
    let bits = mixed(u64::from(object) << 20);
    let (number, random) = (object, bits as u32);
    let max_velocity = 5.0 + (bits >> 40) as f32 / (1 << 24) as f32 * 20.0;
    Row {
        street: (bits >> 8) as u32 % STREETS,
        progress: (bits % 30) as f32,
        max_velocity,
        random,
        waits: 0,
        number,
        colour: random >> 16,
        born: 0,
    }
}

/// The next state of random numbers (Knuth and Lewis).
pub fn next(random: u32) -> u32 {
    random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// The metres of a pedestrian's tick, by a random number.
pub fn stroll(random: u32, max_velocity: f32) -> f32 {
    ((random >> 8) as f32 * (1.5 / 16_777_216.0) - 0.5) * max_velocity
}

/// The progress after a move, and whether it is in the next street.
pub fn advanced(progress: f32, metres: f32, length: f32) -> (f32, bool) {
    let progress = progress + metres;
    if progress < length { (if progress < 0.0 { 0.0 } else { progress }, false) } else { (progress - length, true) }
}

/// Ikra's classes, in one layout.
macro_rules! classes {
    ($name:ident, ($($layout:tt)*), $doc:literal) => {
        #[doc = $doc]
        #[allow(missing_docs, reason = "the fields of `Row`")]
        pub mod $name {
            use ikra::prelude::*;

            use super::{GRIP, Kind, STOP, STREETS, advanced, kind, next, row, stroll};

            #[soa_class($($layout)*)]
            pub struct Street {
                pub length: f32,
                pub next: Link<Street>,
            }

            classes!(class Car, $($layout)*);
            classes!(class Bus, $($layout)*);
            classes!(class Pedestrian, $($layout)*);

            #[soa_dispatch(Car, Bus, Pedestrian)]
            pub trait Actor {
                #[kernel]
                fn tick(&mut self);
                fn go(&mut self, metres: f32) -> bool {
                    let (progress, is_on) = advanced(self.progress, metres, self.street.length());
                    self.progress = progress;
                    if is_on {
                        self.street = self.street.next();
                    }
                    is_on
                }
                fn state(&self) -> (u32, u32, u32, u32) {
                    (self.street.link().index() as u32, self.progress.to_bits(), self.random, self.waits)
                }
            }

            #[soa_methods]
            impl Actor for Car {
                fn tick(&mut self) {
                    self.go(self.max_velocity * GRIP);
                }
            }
            #[soa_methods]
            impl Actor for Bus {
                fn tick(&mut self) {
                    if self.waits > 0 {
                        self.waits -= 1;
                    } else if self.go(self.max_velocity * GRIP) {
                        self.waits = STOP;
                    }
                }
            }
            #[soa_methods]
            impl Actor for Pedestrian {
                fn tick(&mut self) {
                    self.random = next(self.random);
                    self.go(stroll(self.random, self.max_velocity));
                }
            }

            #[soa_world]
            pub struct Town {
                pub streets: Objects<Street>,
                pub cars: Objects<Car>,
                pub buses: Objects<Bus>,
                pub pedestrians: Objects<Pedestrian>,
            }

            /// A world of `n` objects, and their links in the order of their numbers.
            ///
            /// # Panics
            ///
            /// If there is no memory.
            pub fn town(n: u32) -> (Town, Vec<ActorLink>) {
                let mut town = Town::new();
                let streets: Vec<_> = town.streets.reserve(STREETS as usize).expect("there is memory").collect();
                for (number, &link) in (0..).zip(&streets) {
                    let (length, next) = super::street(number);
                    let street = Street { length, next: streets[next as usize] };
                    town.streets.init(link, street).expect("a reserved street");
                }
                let links = (0..n).map(|object| match kind(object) {
                    Kind::Car => town.cars.push(Car::new(row(object), &streets)).map(ActorLink::from),
                    Kind::Bus => town.buses.push(Bus::new(row(object), &streets)).map(ActorLink::from),
                    Kind::Pedestrian => {
                        town.pedestrians.push(Pedestrian::new(row(object), &streets)).map(ActorLink::from)
                    }
                });
                let links = links.collect::<Result<_, _>>().expect("there is memory");
                (town, links)
            }
        }
    };
    (class $class:ident, $($layout:tt)*) => {
        #[soa_class($($layout)*)]
        pub struct $class {
            pub street: Link<Street>,
            pub progress: f32,
            pub max_velocity: f32,
            pub random: u32,
            pub waits: u32,
            pub number: u32,
            pub colour: u32,
            pub born: u32,
        }
        impl $class {
            fn new(row: super::Row, streets: &[Link<Street>]) -> Self {
                let super::Row { street, progress, max_velocity, random, waits, number, colour, born } = row;
                let street = streets[street as usize];
                Self { street, progress, max_velocity, random, waits, number, colour, born }
            }
        }
    };
}
classes!(columns, (), "Ikra's classes, in columns.");
classes!(rows, (layout = "aos"), "Ikra's classes, in rows.");
