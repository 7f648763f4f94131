//! The predators and prey of `wator.rs`, each an object that comes and goes. The rules and the random numbers are the
//! same, and so is the result.
//!
//! Only the animal that won a claim writes its target, so the order of these writes does not matter.

use super::wator::{Clock, FISH_BREED, MEAL, SEED, SHARK_BREED};
use ikra::prelude::*;
use ikra::rng::Random;

/// Nobody is in a cell.
pub const WATER: u32 = 0;
/// A fish is there.
pub const FISH: u32 = 1;
/// A shark is there.
pub const SHARK: u32 = 2;

/// A cell of the sea.
#[soa_class]
pub struct Cell {
    /// Who is here.
    #[atomic]
    pub kind: u32,
    /// North, west, east, south.
    #[inline_array(object)]
    pub around: [Link<Cell>; 4],
    /// The largest ticket of the fish that want to come here, above their cell's id.
    #[atomic]
    pub fish_claim: u64,
    /// The same for sharks.
    #[atomic]
    pub shark_claim: u64,
}

#[soa_methods]
impl Cell {
    /// One of the neighbours of a kind.
    fn pick(cells: [Ref<Cell>; 4], kinds: [u32; 4], kind: u32, random: &mut Random) -> Option<Ref<Cell>> {
        let count: u32 = kinds.map(|other| u32::from(other == kind)).iter().sum();
        if count == 0 {
            return None;
        }
        let (mut found, mut left) = (None, random.below(count));
        for n in 0..4 {
            if kinds[n] == kind {
                if left == 0 {
                    found = Some(cells[n]);
                }
                left = left.wrapping_sub(1);
            }
        }
        found
    }
}

/// A random number above the id of a cell.
fn ticket(random: &mut Random, cell: u32) -> u64 {
    u64::from(random.next_u32()) << 32 | u64::from(cell)
}

/// A fish.
#[soa_class(compact = 1.0)]
pub struct Fish {
    /// Where it is.
    pub cell: Link<Cell>,
    /// Gains 1 per step.
    pub energy: u32,
    /// Where it wants to go.
    pub target: Option<Link<Cell>>,
}

#[soa_methods]
impl Fish {
    /// Claims a free neighbour of its cell.
    #[kernel(unordered(fish_claim))]
    pub fn choose(&mut self, clock: Ref<Clock>, k: u32) {
        let (cell, id) = (self.cell, self.cell.link().id());
        // It has come here by this claim. Nobody else claims a cell that is not free.
        cell.fish_claim().store(0);
        let mut random = Random::new(SEED, id, 2 * (clock.step() + k));
        let cells = [0, 1, 2, 3].map(|n| cell.around().get(n));
        let target = Cell::pick(cells, cells.map(|cell| cell.kind().load()), WATER, &mut random);
        self.target = target;
        if let Some(target) = target {
            target.fish_claim().max(ticket(&mut random, id));
        }
    }

    /// Goes there, if it won its claim. A grown one leaves a young one behind.
    #[kernel(unordered(kind))]
    pub fn swim(&mut self, young: Spawn<Fish>) {
        self.energy += 1;
        if let Some(target) = self.target
            && target.fish_claim().load() as u32 == self.cell.link().id()
        {
            if self.energy >= FISH_BREED {
                self.energy = 0;
                young.push(Self { cell: self.cell.link(), energy: 0, target: None });
            } else {
                self.cell.kind().store(WATER);
            }
            target.kind().store(FISH);
            self.cell = target;
        }
    }

    /// Is gone if a shark has come to its cell.
    #[kernel(unordered(fish_claim))]
    pub fn flee(&mut self) {
        if self.cell.kind().load() == SHARK {
            self.cell.fish_claim().store(0);
            self.remove();
        }
    }
}

/// A shark.
#[soa_class(compact = 1.0)]
pub struct Shark {
    /// Where it is.
    pub cell: Link<Cell>,
    /// It loses 1 per step, gains by eating, and starves at 0.
    pub energy: u32,
    /// Where it wants to go.
    pub target: Option<Link<Cell>>,
}

#[soa_methods]
impl Shark {
    /// Claims a neighbour with a fish, or a free one.
    #[kernel(unordered(shark_claim))]
    pub fn choose(&mut self, clock: Ref<Clock>, k: u32) {
        let (cell, id) = (self.cell, self.cell.link().id());
        cell.shark_claim().store(0);
        self.target = None;
        if self.energy > 0 {
            let mut random = Random::new(SEED, id, 2 * (clock.step() + k) + 1);
            let cells = [0, 1, 2, 3].map(|n| cell.around().get(n));
            let kinds = cells.map(|cell| cell.kind().load());
            let mut target = Cell::pick(cells, kinds, FISH, &mut random);
            if target.is_none() {
                target = Cell::pick(cells, kinds, WATER, &mut random);
            }
            self.target = target;
            if let Some(target) = target {
                target.shark_claim().max(ticket(&mut random, id));
            }
        }
    }

    /// Goes there, if it won its claim, and eats. A strong one leaves half of its energy behind. One without starves.
    #[kernel(unordered(kind, shark_claim))]
    pub fn hunt(&mut self, young: Spawn<Shark>) {
        if self.energy == 0 {
            self.cell.kind().store(WATER);
            self.cell.shark_claim().store(0);
            self.remove();
            return;
        }
        let is_strong = self.energy >= SHARK_BREED;
        self.energy -= 1;
        if let Some(target) = self.target
            && target.shark_claim().load() as u32 == self.cell.link().id()
        {
            if is_strong {
                self.energy /= 2;
                young.push(Self { cell: self.cell.link(), energy: self.energy, target: None });
            } else {
                self.cell.kind().store(WATER);
            }
            if target.kind().load() == FISH {
                self.energy += MEAL;
            }
            target.kind().store(SHARK);
            self.cell = target;
        }
    }
}

/// The sea.
#[soa_world]
pub struct Shoals {
    /// One.
    pub clocks: Objects<Clock>,
    /// The torus.
    pub cells: Objects<Cell>,
    /// The prey.
    pub fish: Objects<Fish>,
    /// The predators.
    pub sharks: Objects<Shark>,
}
