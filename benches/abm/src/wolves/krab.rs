//! In `krabmaga`: agents in a schedule. Sheep come before wolves.

use std::any::Any;

use krabmaga::engine::agent::Agent;
use krabmaga::engine::schedule::Schedule;
use krabmaga::engine::state::State;
use wolfsheep::{Parameters, Start};

use crate::numbers::{Numbers, beside};

#[derive(Clone, Copy)]
struct Animal {
    at: [u32; 2],
    energy: f64,
    gain: f64,
    reproduces: f32,
}

#[derive(Clone)]
struct Sheep {
    number: u32,
    animal: Animal,
    is_dead: bool,
}

#[derive(Clone)]
struct Wolf {
    animal: Animal,
    is_dead: bool,
}

struct Field {
    size: [u32; 2],
    regrowth: u32,
    numbers: Numbers,
    waits: Vec<u32>,
    /// The sheep in each cell after this step's walks.
    flocks: Vec<Vec<u32>>,
    /// By number.
    is_eaten: Vec<bool>,
    young_sheep: Vec<Sheep>,
    young_wolves: Vec<Wolf>,
    counts: [usize; 2],
}

impl Field {
    fn cell(&self, at: [u32; 2]) -> usize {
        (at[1] * self.size[0] + at[0]) as usize
    }
}

fn field(state: &mut dyn State) -> &mut Field {
    state.as_any_mut().downcast_mut().expect("the only state")
}

impl Agent for Sheep {
    fn step(&mut self, state: &mut dyn State) {
        let field = field(state);
        if field.is_eaten[self.number as usize] {
            self.is_dead = true;
            return;
        }
        let animal = &mut self.animal;
        animal.at = beside(animal.at, field.size, &mut field.numbers);
        animal.energy -= 1.0;
        let cell = field.cell(animal.at);
        if field.waits[cell] == 0 {
            animal.energy += animal.gain;
            field.waits[cell] = field.regrowth;
        }
        if animal.energy < 1.0 {
            self.is_dead = true;
            field.counts[0] -= 1;
            return;
        }
        field.flocks[cell].push(self.number);
        if field.numbers.chance(animal.reproduces) {
            animal.energy /= 2.0;
            let number = field.is_eaten.len() as u32;
            field.is_eaten.push(false);
            field.flocks[cell].push(number);
            field.young_sheep.push(Sheep { number, animal: *animal, is_dead: false });
        }
    }
    fn is_stopped(&mut self, _: &mut dyn State) -> bool {
        self.is_dead
    }
}

impl Agent for Wolf {
    fn step(&mut self, state: &mut dyn State) {
        let field = field(state);
        let animal = &mut self.animal;
        animal.at = beside(animal.at, field.size, &mut field.numbers);
        animal.energy -= 1.0;
        let cell = field.cell(animal.at);
        let count = field.flocks[cell].len() as u32;
        if count > 0 {
            let chosen = field.numbers.below(count) as usize;
            let sheep = field.flocks[cell].swap_remove(chosen);
            field.is_eaten[sheep as usize] = true;
            field.counts[0] -= 1;
            animal.energy += animal.gain;
        }
        if animal.energy < 0.0 {
            self.is_dead = true;
            field.counts[1] -= 1;
        } else if field.numbers.chance(animal.reproduces) {
            animal.energy /= 2.0;
            field.young_wolves.push(Wolf { animal: *animal, is_dead: false });
        }
    }
    fn is_stopped(&mut self, _: &mut dyn State) -> bool {
        self.is_dead
    }
}

impl State for Field {
    fn init(&mut self, _: &mut Schedule) {}
    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
    fn as_any(&self) -> &dyn Any {
        self
    }
    fn as_state_mut(&mut self) -> &mut dyn State {
        self
    }
    fn as_state(&self) -> &dyn State {
        self
    }
    fn reset(&mut self) {}
    fn update(&mut self, _: u64) {}
    fn after_step(&mut self, schedule: &mut Schedule) {
        let next = schedule.time + 1.0;
        self.counts[0] += self.young_sheep.len();
        self.counts[1] += self.young_wolves.len();
        for sheep in self.young_sheep.drain(..) {
            schedule.schedule_repeating(Box::new(sheep), next, 0);
        }
        for wolf in self.young_wolves.drain(..) {
            schedule.schedule_repeating(Box::new(wolf), next, 1);
        }
        self.flocks.iter_mut().for_each(Vec::clear);
        self.waits.iter_mut().for_each(|wait| *wait = wait.saturating_sub(1));
    }
}

pub struct Simulation {
    field: Field,
    schedule: Schedule,
}

impl Simulation {
    pub fn new(of: &Parameters) -> Self {
        let start = Start::of(of);
        let mut schedule = Schedule::new();
        let animal =
            |one: &wolfsheep::Animal, gain, reproduces| Animal { at: one.at, energy: one.energy, gain, reproduces };
        for (number, one) in (0..).zip(&start.sheep) {
            let sheep = Sheep { number, animal: animal(one, of.sheep_gain, of.sheep_reproduce), is_dead: false };
            schedule.schedule_repeating(Box::new(sheep), 0.0, 0);
        }
        for one in &start.wolves {
            let wolf = Wolf { animal: animal(one, of.wolf_gain, of.wolves_reproduce), is_dead: false };
            schedule.schedule_repeating(Box::new(wolf), 0.0, 1);
        }
        let field = Field {
            size: of.size,
            regrowth: of.regrowth,
            numbers: Numbers(of.seed),
            flocks: vec![Vec::new(); start.waits.len()],
            waits: start.waits,
            is_eaten: vec![false; start.sheep.len()],
            young_sheep: Vec::new(),
            young_wolves: Vec::new(),
            counts: [start.sheep.len(), start.wolves.len()],
        };
        Self { field, schedule }
    }

    #[cfg(test)]
    pub fn counts(&self) -> [usize; 2] {
        self.field.counts
    }

    pub fn step(&mut self) {
        self.schedule.step(&mut self.field);
    }
}
