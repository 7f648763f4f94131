//! The classes of the ordinary objects in `plain.rs`, and the kernel. Compiled for the host and for the GPU.

use ikra::prelude::*;

/// Seconds from one tick to the next.
pub const SECONDS: f32 = 1.0;
/// The ticks that a bus waits at a stop.
pub const STOP: u32 = 12;
/// An actor passes at most one junction per tick: its way in a tick, in metres, is no longer than any street.
pub const LONGEST_WAY: f32 = 30.0;

/// The weather, which slows down vehicles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Weather {
    /// Full speed.
    Sunny,
    /// Rain.
    Rainy,
}

impl Weather {
    /// The share of its speed that a car keeps.
    pub fn grip(self) -> f32 {
        match self {
            Self::Sunny => 1.0,
            Self::Rainy => 0.7,
        }
    }
}

/// The next random number of an actor, which keeps the generator's state (O'Neill's PCG-RXS-M-XS-32).
pub fn random(state: u32) -> (u32, u32) {
    let next = state.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = (state >> ((state >> 28) + 4) ^ state).wrapping_mul(277_803_737);
    (next, word >> 22 ^ word)
}

/// A street in one direction.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Street {
    /// In metres.
    pub length: f32,
    /// The streets that leave the junction at its end. At a dead end actors turn around.
    #[inline_array(4)]
    pub onward: InnerArray<Link<Street>>,
}

/// A car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    /// Its street.
    pub street: Link<Street>,
    /// Metres from the beginning of the street.
    pub progress: f32,
    /// In metres per second.
    pub max_velocity: f32,
    /// The state of its random numbers.
    pub random: u32,
}

/// A bus, which waits at a stop in each second street.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Bus {
    /// Its street.
    pub street: Link<Street>,
    /// Metres from the beginning of the street.
    pub progress: f32,
    /// In metres per second.
    pub max_velocity: f32,
    /// The state of its random numbers.
    pub random: u32,
    /// Ticks until it leaves the stop.
    pub waits: u32,
}

/// A pedestrian, who strolls: at any speed up to the largest, or backwards at up to half of it.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Pedestrian {
    /// Their street.
    pub street: Link<Street>,
    /// Metres from the beginning of the street.
    pub progress: f32,
    /// In metres per second.
    pub max_velocity: f32,
    /// The state of their random numbers.
    pub random: u32,
}

/// An actor that moves along streets (RUBY §2).
#[soa_dispatch(Car, Bus, Pedestrian)]
pub trait Actor {
    /// Moves for a second.
    #[kernel]
    fn tick(&mut self, weather: Weather);

    /// A random number.
    fn draw(&mut self) -> u32 {
        let (state, number) = random(self.random);
        self.random = state;
        number
    }

    /// Moves by some metres. Returns whether it is in another street then, or has turned around.
    fn go(&mut self, metres: f32) -> bool {
        let progress = self.progress + metres;
        let length = self.street.length();
        if progress < length {
            self.progress = if progress < 0.0 { 0.0 } else { progress };
            return false;
        }
        self.progress = progress - length;
        let ways = self.street.onward().len() as u32;
        if ways > 0 {
            let way = self.draw() % ways;
            self.street = self.street.onward().get(way as usize);
        }
        true
    }
}

#[soa_methods]
impl Actor for Car {
    fn tick(&mut self, weather: Weather) {
        self.go(self.max_velocity * weather.grip() * SECONDS);
    }
}

#[soa_methods]
impl Actor for Bus {
    fn tick(&mut self, weather: Weather) {
        if self.waits > 0 {
            self.waits -= 1;
        } else if self.go(self.max_velocity * weather.grip() * SECONDS) && self.draw().is_multiple_of(2) {
            self.waits = STOP;
        }
    }
}

#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self, _: Weather) {
        let share = (self.draw() >> 8) as f32 * (1.5 / 16_777_216.0) - 0.5;
        self.go(share * self.max_velocity * SECONDS);
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
    /// Pedestrians.
    pub pedestrians: Objects<Pedestrian>,
}
