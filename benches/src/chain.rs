//! Cars of which a few, half or most are in a jam; and the same as slices.

use ikra::prelude::*;
use ikra::rng::Random;

/// A car.
#[soa_class]
pub struct Car {
    /// Its speed, at most 1.
    pub speed: f32,
    /// The time that it takes, without a jam.
    pub time: f32,
    /// Its people.
    pub people: u32,
}

#[soa_methods]
impl Car {
    /// Whether it is slower than this.
    #[kernel]
    pub fn is_slow(&self, below: f32) -> bool {
        self.speed < below
    }
    /// The delay by a jam.
    #[kernel(reduce(Sum))]
    pub fn delay(&self) -> f32 {
        self.time - self.time * self.speed
    }
    /// Its people.
    #[kernel(reduce(Sum))]
    pub fn load(&self) -> u32 {
        self.people
    }
}

/// The world.
#[soa_world]
pub struct Town {
    /// All cars.
    pub cars: Objects<Car>,
}

/// Cars with random speeds.
pub fn town(n: usize) -> Town {
    let mut town = Town::new();
    let car = |n: usize| {
        let mut random = Random::new(7, n as u32, 0);
        Car { speed: random.uniform_f32(), time: random.uniform_f32(), people: random.below(9) }
    };
    town.cars.extend((0..n).map(car)).expect("room");
    town
}

/// The sum of the slow cars' people, by iterators over slices.
#[inline(never)]
pub fn people(speed: &[f32], people: &[u32], below: f32) -> u32 {
    speed.iter().zip(people).filter(|&(&speed, _)| speed < below).map(|(_, &people)| people).sum()
}

/// The sum of the slow cars' delays, by iterators over slices.
#[inline(never)]
pub fn delay(speed: &[f32], time: &[f32], below: f32) -> f32 {
    let slow = speed.iter().zip(time).filter(|&(&speed, _)| speed < below);
    slow.map(|(&speed, &time)| time - time * speed).sum()
}

/// The slow cars' delays, by iterators over slices.
#[inline(never)]
pub fn delays(speed: &[f32], time: &[f32], below: f32) -> Vec<f32> {
    let slow = speed.iter().zip(time).filter(|&(&speed, _)| speed < below);
    slow.map(|(&speed, &time)| time - time * speed).collect()
}
