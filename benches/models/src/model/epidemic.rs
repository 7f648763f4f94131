//! An epidemic on a random graph: who is susceptible meets contacts, of whom the infected may pass it on.

use ikra::prelude::*;
use ikra::rng::Random;

/// The seed of all random numbers.
pub const SEED: u64 = 7;
/// How likely an infected contact infects, per step.
pub const TRANSMISSION: f32 = 0.03;
/// How likely an infected person recovers, per step.
pub const RECOVERY: f32 = 0.05;

/// How a person is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Health {
    /// Can be infected.
    Susceptible,
    /// Infects others.
    Infected,
    /// Does neither.
    Recovered,
}

/// The steps done so far, so that a recording of some steps can be replayed.
#[soa_class]
pub struct Clock {
    /// Their number.
    pub step: u32,
}

#[soa_methods]
impl Clock {
    /// Some steps were done.
    #[kernel]
    pub fn advance(&mut self, steps: u32) {
        self.step += steps;
    }
}

/// Somebody.
#[soa_class]
pub struct Person {
    /// How they are.
    pub health: Health,
    /// Whom they meet each step.
    #[inline_array(8)]
    pub contacts: InnerArray<Link<Person>>,
}

#[soa_methods]
impl Person {
    /// Everybody sees how the others were before this step.
    #[kernel(snapshot(health))]
    pub fn live(&mut self, clock: Ref<Clock>, k: u32) {
        let mut random = Random::new(SEED, self.link().id(), clock.step() + k);
        match self.health {
            Health::Susceptible => {
                if self.contacts.iter().any(|c| c.health() == Health::Infected && random.chance(TRANSMISSION)) {
                    self.health = Health::Infected;
                }
            }
            Health::Infected => {
                if random.chance(RECOVERY) {
                    self.health = Health::Recovered;
                }
            }
            Health::Recovered => {}
        }
    }

    /// The same, with the infected contacts counted before any number is drawn.
    #[kernel(snapshot(health))]
    pub fn live_counting(&mut self, clock: Ref<Clock>, k: u32) {
        let mut random = Random::new(SEED, self.link().id(), clock.step() + k);
        match self.health {
            Health::Susceptible => {
                let infected = self.contacts.iter().filter(|c| c.health() == Health::Infected).count();
                if (0..infected).any(|_| random.chance(TRANSMISSION)) {
                    self.health = Health::Infected;
                }
            }
            Health::Infected => {
                if random.chance(RECOVERY) {
                    self.health = Health::Recovered;
                }
            }
            Health::Recovered => {}
        }
    }

    /// One if infected.
    #[kernel(reduce(Sum))]
    pub fn infected(&self) -> u32 {
        u32::from(self.health == Health::Infected)
    }
}

/// All people.
#[soa_world]
pub struct Town {
    /// One.
    pub clocks: Objects<Clock>,
    /// The graph.
    pub people: Objects<Person>,
}
