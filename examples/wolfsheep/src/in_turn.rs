//! The model as programs usually run it: animals act one after another, in an order that is drawn anew in each step.

use crate::{Counts, Parameters, Start};

/// Whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// All sheep in random order, then all wolves.
    Kinds,
    /// Sheep and wolves mixed.
    Mixed,
}

/// A sheep or a wolf.
#[derive(Clone, Debug)]
struct Animal {
    at: [u32; 2],
    energy: f64,
    gain: f64,
    reproduces: f32,
    is_alive: bool,
}

/// Random numbers with a state (SplitMix64): the fastest, for numbers that are drawn one after another.
#[derive(Clone, Debug)]
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ z >> 31) >> 32) as u32
    }

    fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next()) * u64::from(end)) >> 32) as u32
    }

    fn chance(&mut self, probability: f32) -> bool {
        (self.next() >> 8) as f32 * (1.0 / 16_777_216.0) < probability
    }

    fn shuffle<T>(&mut self, all: &mut [T]) {
        for n in (1..all.len()).rev() {
            all.swap(n, self.below(n as u32 + 1) as usize);
        }
    }
}

/// The end of a list of sheep.
const NONE: u32 = u32::MAX;

/// Wolves, sheep and grass in `Vec`s, with `push` and `retain`.
#[derive(Clone, Debug)]
pub struct InTurn {
    size: [u32; 2],
    regrowth: u32,
    order: Order,
    numbers: Numbers,
    waits: Vec<u32>,
    sheep: Vec<Animal>,
    wolves: Vec<Animal>,
    /// The first sheep of each cell, and the next one after each.
    first: Vec<u32>,
    next: Vec<u32>,
}

impl InTurn {
    /// The start of a run.
    #[must_use]
    pub fn new(parameters: &Parameters, order: Order) -> Self {
        let start = Start::of(parameters);
        let animals = |animals: Vec<crate::Animal>, gain, reproduces| {
            let animal =
                |one: crate::Animal| Animal { at: one.at, energy: one.energy, gain, reproduces, is_alive: true };
            animals.into_iter().map(animal).collect()
        };
        Self {
            size: parameters.size,
            regrowth: parameters.regrowth,
            order,
            numbers: Numbers(parameters.seed ^ 0x5eed_5eed_5eed_5eed),
            sheep: animals(start.sheep, parameters.sheep_gain, parameters.sheep_reproduce),
            wolves: animals(start.wolves, parameters.wolf_gain, parameters.wolves_reproduce),
            first: vec![NONE; start.waits.len()],
            waits: start.waits,
            next: Vec::new(),
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
        match self.order {
            Order::Kinds => self.kinds(),
            Order::Mixed => self.mixed(),
        }
        self.sheep.retain(|sheep| sheep.is_alive);
        self.wolves.retain(|wolf| wolf.is_alive);
        self.waits.iter_mut().for_each(|wait| *wait = wait.saturating_sub(1));
    }

    fn kinds(&mut self) {
        self.numbers.shuffle(&mut self.sheep);
        for n in 0..self.sheep.len() {
            self.sheep_acts(n);
        }
        self.sheep.retain(|sheep| sheep.is_alive);
        self.first.fill(NONE);
        self.next.clear();
        for n in 0..self.sheep.len() {
            let cell = self.cell(self.sheep[n].at);
            self.next.push(self.first[cell]);
            self.first[cell] = n as u32;
        }
        self.numbers.shuffle(&mut self.wolves);
        for n in 0..self.wolves.len() {
            self.wolf_acts(n);
        }
    }

    fn mixed(&mut self) {
        let (sheep, wolves) = (self.sheep.len(), self.wolves.len());
        self.first.fill(NONE);
        self.next.clear();
        self.next.resize(sheep, NONE);
        for n in 0..sheep {
            self.enter(n);
        }
        let mut order: Vec<usize> = (0..sheep + wolves).collect();
        self.numbers.shuffle(&mut order);
        for n in order {
            if n >= sheep {
                self.wolf_acts(n - sheep);
            } else if self.sheep[n].is_alive {
                self.leave(n);
                let children = self.sheep.len();
                self.sheep_acts(n);
                if self.sheep[n].is_alive {
                    self.enter(n);
                }
                for child in children..self.sheep.len() {
                    self.next.push(NONE);
                    self.enter(child);
                }
            }
        }
    }

    fn cell(&self, at: [u32; 2]) -> usize {
        (at[1] * self.size[0] + at[0]) as usize
    }

    /// One of the eight cells around. A step that would leave the field stays at the edge.
    fn beside(&mut self, at: [u32; 2]) -> [u32; 2] {
        let way = self.numbers.below(8);
        let way = way + u32::from(way >= 4);
        let step = |at: u32, by: u32, end: u32| (at + by).clamp(1, end) - 1;
        [step(at[0], way % 3, self.size[0]), step(at[1], way / 3, self.size[1])]
    }

    /// Adds a sheep to the list of its cell.
    fn enter(&mut self, sheep: usize) {
        let cell = self.cell(self.sheep[sheep].at);
        self.next[sheep] = self.first[cell];
        self.first[cell] = sheep as u32;
    }

    /// Takes a sheep off the list of its cell.
    fn leave(&mut self, sheep: usize) {
        let cell = self.cell(self.sheep[sheep].at);
        let after = self.next[sheep];
        if self.first[cell] == sheep as u32 {
            self.first[cell] = after;
            return;
        }
        let mut before = self.first[cell] as usize;
        while self.next[before] != sheep as u32 {
            before = self.next[before] as usize;
        }
        self.next[before] = after;
    }

    fn sheep_acts(&mut self, n: usize) {
        let at = self.beside(self.sheep[n].at);
        let cell = self.cell(at);
        let sheep = &mut self.sheep[n];
        sheep.at = at;
        sheep.energy -= 1.0;
        if self.waits[cell] == 0 {
            sheep.energy += sheep.gain;
            self.waits[cell] = self.regrowth;
        }
        if sheep.energy < 1.0 {
            sheep.is_alive = false;
        } else if self.numbers.chance(sheep.reproduces) {
            sheep.energy /= 2.0;
            let child = sheep.clone();
            self.sheep.push(child);
        }
    }

    fn wolf_acts(&mut self, n: usize) {
        let at = self.beside(self.wolves[n].at);
        let prey = self.prey(self.cell(at));
        let wolf = &mut self.wolves[n];
        wolf.at = at;
        wolf.energy -= 1.0;
        if let Some(prey) = prey {
            wolf.energy += wolf.gain;
            self.sheep[prey].is_alive = false;
        }
        if wolf.energy < 0.0 {
            wolf.is_alive = false;
        } else if self.numbers.chance(wolf.reproduces) {
            wolf.energy /= 2.0;
            let child = wolf.clone();
            self.wolves.push(child);
        }
    }

    /// Takes a random sheep off the list of a cell.
    fn prey(&mut self, cell: usize) -> Option<usize> {
        let (first, mut count) = (self.first[cell], 0);
        let mut at = first;
        while at != NONE {
            count += 1;
            at = self.next[at as usize];
        }
        if count == 0 {
            return None;
        }
        let chosen = self.numbers.below(count);
        if chosen == 0 {
            self.first[cell] = self.next[first as usize];
            return Some(first as usize);
        }
        let mut before = first;
        for _ in 1..chosen {
            before = self.next[before as usize];
        }
        let sheep = self.next[before as usize];
        self.next[before as usize] = self.next[sheep as usize];
        Some(sheep as usize)
    }
}
