//! Rabbits that hop over patches of grass, claim the patch on which they are, and eat: reads at random places.

use ikra::prelude::*;
use ikra::rng::Random;

use super::{Model, mix, random};

/// The most grass on a patch.
const FULL: u32 = 12;

/// A patch.
#[soa_class]
pub struct Patch {
    /// Its grass.
    pub grass: u32,
    /// The rabbit that eats it.
    #[atomic]
    pub eater: Option<Link<Rabbit>>,
}

/// A rabbit.
#[soa_class]
pub struct Rabbit {
    /// Where it is.
    pub patch: Link<Patch>,
    /// How well fed it is.
    pub energy: u32,
}

#[soa_methods]
impl Patch {
    /// Is eaten, or grows.
    #[kernel]
    pub fn grow(&mut self) {
        self.grass = if self.eater.load().is_some() { 0 } else { (self.grass + 1).min(FULL) };
        self.eater.store(None);
    }
}

#[soa_methods]
impl Rabbit {
    /// Hops to the side where more grass is, and claims it.
    #[kernel]
    pub fn hop(&mut self, side: u32, step: u32) {
        let mut random = Random::new(7, self.link().index() as u32, step);
        let (x, y) = (self.patch.link().index() as u32 % side, self.patch.link().index() as u32 / side);
        let mut best = self.patch;
        for _ in 0..2 {
            let draw = random.next_u32();
            let (x, y) = ((x + draw % 33 + side - 16) % side, (y + (draw >> 16) % 33 + side - 16) % side);
            let patch = self.all::<Patch>().get((y * side + x) as usize).expect("a patch of the meadow");
            if patch.grass() > best.grass() {
                best = patch;
            }
        }
        self.patch = best;
        if best.grass() > 3 {
            best.eater().claim(self.link());
        }
    }
    /// Eats, if the patch is its own.
    #[kernel]
    pub fn eat(&mut self) {
        if self.patch.eater().load() == Some(self.link()) {
            self.energy += self.patch.grass();
        }
        self.energy = self.energy.saturating_sub(2);
    }
}

/// The world.
#[soa_world]
pub struct Meadow {
    /// Row by row.
    pub patches: Objects<Patch>,
    /// In no order.
    pub rabbits: Objects<Rabbit>,
}

/// The same in plain Rust.
pub struct Twin {
    patches: Vec<TwinPatch>,
    rabbits: Vec<TwinRabbit>,
}

struct TwinPatch {
    grass: u32,
    eater: u32,
}

struct TwinRabbit {
    patch: u32,
    energy: u32,
}

impl Twin {
    fn hop(&mut self, side: u32, step: u32) {
        for (id, rabbit) in self.rabbits.iter_mut().enumerate() {
            let mut random = Random::new(7, id as u32, step);
            let (x, y) = (rabbit.patch % side, rabbit.patch / side);
            let mut best = rabbit.patch;
            for _ in 0..2 {
                let draw = random.next_u32();
                let (x, y) = ((x + draw % 33 + side - 16) % side, (y + (draw >> 16) % 33 + side - 16) % side);
                let patch = y * side + x;
                if self.patches[patch as usize].grass > self.patches[best as usize].grass {
                    best = patch;
                }
            }
            rabbit.patch = best;
            let patch = &mut self.patches[best as usize];
            if patch.grass > 3 {
                patch.eater = patch.eater.min(id as u32);
            }
        }
    }
    fn eat(&mut self) {
        for (id, rabbit) in self.rabbits.iter_mut().enumerate() {
            let patch = &self.patches[rabbit.patch as usize];
            if patch.eater == id as u32 {
                rabbit.energy += patch.grass;
            }
            rabbit.energy = rabbit.energy.saturating_sub(2);
        }
    }
    fn grow(&mut self) {
        for patch in &mut self.patches {
            patch.grass = if patch.eater != u32::MAX { 0 } else { (patch.grass + 1).min(FULL) };
            patch.eater = u32::MAX;
        }
    }
}

/// The model.
pub struct Rabbits;

impl Rabbits {
    fn side(patches: usize) -> u32 {
        patches.isqrt() as u32
    }
}

impl Model for Rabbits {
    const NAME: &str = "rabbits";
    type World = Meadow;
    type Twin = Twin;

    fn make(scale: usize) -> (Meadow, Twin) {
        let side = 10 * scale.max(10);
        let (patches, herd) = (side * side, side * side * 3 / 10);
        let mut meadow = Meadow::new();
        let grass = |n| random(n) % FULL;
        let links: Vec<_> = meadow
            .patches
            .extend((0..patches).map(|n| Patch { grass: grass(n), eater: None }))
            .expect("memory")
            .collect();
        let place = |n| random(3 * n + 1) as usize % patches;
        meadow.rabbits.extend((0..herd).map(|n| Rabbit { patch: links[place(n)], energy: 10 })).expect("memory");
        let twin = Twin {
            patches: (0..patches).map(|n| TwinPatch { grass: grass(n), eater: u32::MAX }).collect(),
            rabbits: (0..herd).map(|n| TwinRabbit { patch: place(n) as u32, energy: 10 }).collect(),
        };
        (meadow, twin)
    }

    fn step(meadow: &mut Meadow, step: u32) {
        let side = Self::side(meadow.patches.len());
        meadow.execute(Rabbit::hop, (side, step));
        meadow.execute(Rabbit::eat, ());
        meadow.execute(Patch::grow, ());
    }

    fn twin_step(twin: &mut Twin, step: u32) {
        twin.hop(Self::side(twin.patches.len()), step);
        twin.eat();
        twin.grow();
    }

    fn digest(meadow: &Meadow) -> u64 {
        let (places, energies) = (meadow.rabbits.column(rabbit::patch), meadow.rabbits.column(rabbit::energy));
        mix(places.iter().zip(energies).map(|(patch, energy)| patch.index() as u64 + (u64::from(*energy) << 32)))
    }

    fn twin_digest(twin: &Twin) -> u64 {
        mix(twin.rabbits.iter().map(|rabbit| u64::from(rabbit.patch) + (u64::from(rabbit.energy) << 32)))
    }
}
