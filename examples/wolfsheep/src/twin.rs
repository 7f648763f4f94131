//! The model in plain sequential Rust, with the same random numbers.

use crate::model::{Purpose, Rules, lot};
use crate::{Counts, Parameters, Start};

#[derive(Clone, Debug)]
struct Animal {
    at: [u32; 2],
    energy: f64,
    is_fertile: bool,
    is_alive: bool,
    lot: u64,
}

/// Wolves, sheep and grass in `Vec`s: the same animals as a [`Field`](crate::Field), in the same order.
#[derive(Clone, Debug)]
pub struct Twin {
    parameters: Parameters,
    step: u32,
    waits: Vec<u32>,
    sheep: Vec<Animal>,
    wolves: Vec<Animal>,
}

impl Twin {
    /// The start of a run.
    #[must_use]
    pub fn new(parameters: &Parameters) -> Self {
        let start = Start::of(parameters);
        let animal =
            |one: &crate::Animal| Animal { at: one.at, energy: one.energy, is_fertile: false, is_alive: true, lot: 0 };
        Self {
            parameters: parameters.clone(),
            step: 0,
            waits: start.waits,
            sheep: start.sheep.iter().map(animal).collect(),
            wolves: start.wolves.iter().map(animal).collect(),
        }
    }

    /// The populations.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let grass = self.waits.iter().filter(|&&wait| wait == 0).count();
        Counts { sheep: self.sheep.len(), wolves: self.wolves.len(), grass }
    }

    /// A step.
    pub fn step(&mut self) {
        let Parameters { sheep_gain, wolf_gain, sheep_reproduce, wolves_reproduce, regrowth, .. } = self.parameters;
        let rules = self.parameters.rules(self.step);
        walk(&mut self.sheep, Purpose::Sheep, sheep_reproduce, &rules);
        walk(&mut self.wolves, Purpose::Wolf, wolves_reproduce, &rules);
        // In each cell the first sheep eats, if there is grass.
        for cell in by_cell(&self.sheep, &rules) {
            let wait = &mut self.waits[rules.cell(self.sheep[cell[0]].at)];
            if *wait == 0 {
                self.sheep[cell[0]].energy += sheep_gain;
                *wait = regrowth;
            }
        }
        live(&mut self.sheep, 1.0);
        // In each cell the first wolf takes the first sheep, the second wolf the second sheep, and so on.
        for (n, sheep) in self.sheep.iter_mut().enumerate() {
            let id = n as u32 + 1;
            sheep.lot = lot(rules.random(Purpose::Prey, id).next_u32(), id);
        }
        let mut flocks = vec![Vec::new(); self.waits.len()];
        for cell in by_cell(&self.sheep, &rules) {
            let at = rules.cell(self.sheep[cell[0]].at);
            flocks[at] = cell;
        }
        for cell in by_cell(&self.wolves, &rules) {
            let flock = &flocks[rules.cell(self.wolves[cell[0]].at)];
            for (&wolf, &sheep) in cell.iter().zip(flock) {
                self.wolves[wolf].energy += wolf_gain;
                self.sheep[sheep].is_alive = false;
            }
        }
        self.sheep.retain(|sheep| sheep.is_alive);
        live(&mut self.wolves, 0.0);
        self.waits.iter_mut().for_each(|wait| *wait = wait.saturating_sub(1));
        self.step += 1;
    }
}

/// All take a step and draw lots.
fn walk(animals: &mut [Animal], purpose: Purpose, reproduces: f32, rules: &Rules) {
    for (n, animal) in animals.iter_mut().enumerate() {
        let id = n as u32 + 1;
        let mut random = rules.random(purpose, id);
        animal.at = rules.beside(animal.at, random.below(8));
        animal.energy -= 1.0;
        animal.is_fertile = random.chance(reproduces);
        animal.lot = lot(random.next_u32(), id);
    }
}

/// The animals in each cell that has some, in the order of their lots.
fn by_cell(animals: &[Animal], rules: &Rules) -> Vec<Vec<usize>> {
    let mut order: Vec<usize> = (0..animals.len()).collect();
    order.sort_by_key(|&n| (rules.cell(animals[n].at), animals[n].lot));
    order.chunk_by(|&a, &b| animals[a].at == animals[b].at).map(<[usize]>::to_vec).collect()
}

/// The weak die, the fertile have a child.
fn live(animals: &mut Vec<Animal>, least: f64) {
    for n in 0..animals.len() {
        let animal = &mut animals[n];
        if animal.energy < least {
            animal.is_alive = false;
        } else if animal.is_fertile {
            animal.energy /= 2.0;
            let child = animal.clone();
            animals.push(child);
        }
    }
    animals.retain(|animal| animal.is_alive);
}
