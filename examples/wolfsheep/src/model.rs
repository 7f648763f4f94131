//! The model. Compiled for the host and for the GPU.
//!
//! All animals of a kind act at once. Where several sheep want the same grass, or several wolves and sheep are in one
//! cell, random lots decide: the result is that of animals that act one after another in random order.
//!
//! Wolves walk before the sheep live, so that only sheep in cells with wolves have to be looked at. Their walk depends
//! on nothing else, so this changes nothing.

use ikra::prelude::*;
use ikra::rng::Random;

/// The values that all share.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Rules {
    /// The seed of all random numbers.
    pub seed: u64,
    /// Cells from left to right.
    pub width: u32,
    /// Cells from top to bottom.
    pub height: u32,
    /// Steps until grass has grown again.
    pub regrowth: u32,
    /// The step's number.
    pub step: u32,
}

impl Rules {
    /// The random numbers of an object in this step; `purpose` tells them from others.
    #[inline(always)]
    pub fn random(&self, purpose: Purpose, id: u32) -> Random {
        Random::new(self.seed.wrapping_mul(4).wrapping_add(purpose as u64), id, self.step)
    }

    /// One of the eight cells around, by a number below 8. A step that would leave the field stays at the edge.
    #[inline(always)]
    pub fn beside(&self, at: [u32; 2], way: u32) -> [u32; 2] {
        // The fifth of nine cells is the one in the middle.
        let way = if way < 4 { way } else { way + 1 };
        let step = |at: u32, by: u32, end: u32| (at + by).clamp(1, end) - 1;
        [step(at[0], way % 3, self.width), step(at[1], way / 3, self.height)]
    }

    /// The number of a cell.
    pub fn cell(&self, at: [u32; 2]) -> usize {
        (at[1] * self.width + at[0]) as usize
    }
}

/// What random numbers are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A sheep's walk, meal and child.
    Sheep,
    /// A wolf's walk, meal and child.
    Wolf,
    /// Which sheep of a cell are eaten.
    Prey,
    /// The start.
    Start,
}

/// A lot that no other object with this id's class has: the smallest wins.
pub const fn lot(random: u32, id: u32) -> u64 {
    (random as u64) << 32 | id as u64
}

/// A cell of the field.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Patch {
    /// Steps until its grass is grown; 0 if it is.
    pub wait: u32,
    /// The smallest lot of the sheep that came in this step.
    #[atomic]
    pub grazer: u64,
    /// The number of wolves in it, and the last of them.
    #[atomic]
    pub wolves: u32,
    /// The id of the last of its wolves, which leads to the others; 0 if there is none. Not a link: it holds for
    /// this step only, so that nothing has to look for it when wolves are removed.
    #[atomic]
    pub pack: u32,
    /// The number of sheep in it, if it has wolves.
    #[atomic]
    pub sheep: u32,
    /// The id of the last of these sheep, which leads to the others.
    #[atomic]
    pub flock: u32,
}

impl Patch {
    /// A patch without animals.
    pub const fn new(wait: u32) -> Self {
        Self { wait, grazer: u64::MAX, wolves: 0, pack: 0, sheep: 0, flock: 0 }
    }
}

#[soa_methods]
impl Patch {
    /// The grass grows. The patch forgets the step's animals.
    #[kernel]
    pub fn grow(&mut self, rules: Rules) {
        // Without branches: which patches have animals cannot be predicted.
        let is_eaten = (self.wait == 0) & (self.grazer.load() != u64::MAX);
        let wait = if is_eaten { rules.regrowth } else { self.wait };
        self.wait = wait.saturating_sub(1);
        self.grazer.store(u64::MAX);
        self.wolves.store(0);
        self.pack.store(0);
        self.sheep.store(0);
        self.flock.store(0);
    }

    /// 1 if its grass is grown.
    #[kernel(reduce(Sum))]
    pub fn is_grown(&self) -> u64 {
        u64::from(self.wait == 0)
    }
}

/// A sheep.
#[soa_class(compact = 1.0)]
#[derive(Clone, Debug)]
pub struct Sheep {
    /// Its cell.
    pub at: [u32; 2],
    /// It dies below 1.
    pub energy: f64,
    /// The energy of a meal.
    pub gain: f64,
    /// The probability that it has a child in a step.
    pub reproduces: f32,
    /// Where it goes in this step.
    pub way: u32,
    /// Whether it has a child in this step, if it lives.
    pub is_fertile: bool,
    /// The smallest lot comes first: to the grass, then to the wolves.
    pub lot: u64,
    /// The id of the next sheep of its patch's flock.
    pub next: u32,
}

impl Sheep {
    /// A sheep.
    pub const fn new(at: [u32; 2], energy: f64, gain: f64, reproduces: f32) -> Self {
        Self { at, energy, gain, reproduces, way: 0, is_fertile: false, lot: 0, next: 0 }
    }
}

#[soa_methods]
impl Sheep {
    fn patch(&self, rules: Rules) -> Ref<Patch> {
        match self.all::<Patch>().get(rules.cell(self.at)) {
            Some(patch) => patch,
            None => unreachable!(),
        }
    }

    /// Draws the step's random numbers: a kernel of its own, for several at once.
    #[kernel(heavy)]
    pub fn draw(&mut self, rules: Rules) {
        let id = self.link().id();
        let mut random = rules.random(Purpose::Sheep, id);
        self.way = random.below(8);
        self.is_fertile = random.chance(self.reproduces);
        self.lot = lot(random.next_u32(), id);
    }

    /// Takes a step, and comes to the grass there.
    #[kernel]
    pub fn walk(&mut self, rules: Rules) {
        self.at = rules.beside(self.at, self.way);
        self.energy -= 1.0;
        self.patch(rules).grazer().min(self.lot);
    }

    /// Eats, if it came first to grown grass; then dies, or has a child.
    #[kernel]
    pub fn live(&mut self, rules: Rules, young: Spawn<Sheep>) {
        let patch = self.patch(rules);
        if patch.wait() == 0 && patch.grazer().load() == self.lot {
            self.energy += self.gain;
        }
        if self.energy < 1.0 {
            self.remove();
        } else if self.is_fertile {
            self.energy /= 2.0;
            young.push(Sheep::new(self.at, self.energy, self.gain, self.reproduces));
        }
    }

    /// Joins the flock of its patch, if there are wolves.
    ///
    /// The order of the flock does not matter: lots decide.
    #[kernel(unordered(flock))]
    pub fn meet(&mut self, rules: Rules) {
        let patch = self.patch(rules);
        if patch.wolves().load() > 0 {
            let id = self.link().id();
            self.lot = lot(rules.random(Purpose::Prey, id).next_u32(), id);
            patch.sheep().add(1);
            self.next = patch.flock().swap(id);
        }
    }

    /// Is eaten, if fewer sheep of the flock come before it than there are wolves.
    #[kernel]
    pub fn flee(&mut self, rules: Rules) {
        let patch = self.patch(rules);
        let wolves = patch.wolves().load();
        if wolves > 0 {
            let mut before = 0;
            let mut next = patch.flock().load();
            while let Some(other) = Link::from_id(next).map(|other: Link<Sheep>| self.resolve(other)) {
                before += u32::from(other.lot() < self.lot);
                next = other.next();
            }
            if before < wolves {
                self.remove();
            }
        }
    }
}

/// A wolf.
#[soa_class(compact = 1.0)]
#[derive(Clone, Debug)]
pub struct Wolf {
    /// Its cell.
    pub at: [u32; 2],
    /// It dies below 0.
    pub energy: f64,
    /// The energy of a meal.
    pub gain: f64,
    /// The probability that it has a child in a step.
    pub reproduces: f32,
    /// Where it goes in this step.
    pub way: u32,
    /// Whether it has a child in this step, if it lives.
    pub is_fertile: bool,
    /// The smallest lot eats first.
    pub lot: u64,
    /// The id of the next wolf of its patch's pack.
    pub next: u32,
}

impl Wolf {
    /// A wolf.
    pub const fn new(at: [u32; 2], energy: f64, gain: f64, reproduces: f32) -> Self {
        Self { at, energy, gain, reproduces, way: 0, is_fertile: false, lot: 0, next: 0 }
    }
}

#[soa_methods]
impl Wolf {
    fn patch(&self, rules: Rules) -> Ref<Patch> {
        match self.all::<Patch>().get(rules.cell(self.at)) {
            Some(patch) => patch,
            None => unreachable!(),
        }
    }

    /// Draws the step's random numbers: a kernel of its own, for several at once.
    #[kernel(heavy)]
    pub fn draw(&mut self, rules: Rules) {
        let id = self.link().id();
        let mut random = rules.random(Purpose::Wolf, id);
        self.way = random.below(8);
        self.is_fertile = random.chance(self.reproduces);
        self.lot = lot(random.next_u32(), id);
    }

    /// Takes a step, and joins the pack there, whose order does not matter.
    #[kernel(unordered(pack))]
    pub fn walk(&mut self, rules: Rules) {
        let id = self.link().id();
        self.at = rules.beside(self.at, self.way);
        self.energy -= 1.0;
        let patch = self.patch(rules);
        patch.wolves().add(1);
        self.next = patch.pack().swap(id);
    }

    /// Eats, if fewer wolves of the pack come before it than there are sheep; then dies, or has a child.
    #[kernel]
    pub fn live(&mut self, rules: Rules, young: Spawn<Wolf>) {
        let patch = self.patch(rules);
        let sheep = patch.sheep().load();
        let mut before = 0;
        if sheep < patch.wolves().load() {
            let mut next = patch.pack().load();
            while let Some(other) = Link::from_id(next).map(|other: Link<Wolf>| self.resolve(other)) {
                before += u32::from(other.lot() < self.lot);
                next = other.next();
            }
        }
        if before < sheep {
            self.energy += self.gain;
        }
        if self.energy < 0.0 {
            self.remove();
        } else if self.is_fertile {
            self.energy /= 2.0;
            young.push(Wolf::new(self.at, self.energy, self.gain, self.reproduces));
        }
    }
}

/// The world.
#[soa_world]
#[derive(Debug)]
pub struct Simulation {
    /// The cells, row by row.
    pub patches: Objects<Patch>,
    /// Sheep.
    pub sheep: Objects<Sheep>,
    /// Wolves.
    pub wolves: Objects<Wolf>,
}
