//! Predators and prey on a torus of cells, each linked to its four neighbours. Several animals may want the same cell:
//! each claims it with a random ticket, and the largest ticket wins.

use ikra::prelude::*;
use ikra::rng::Random;

/// The seed of all random numbers.
pub const SEED: u64 = 42;
/// Energy at which a fish that moves leaves a young one behind.
pub const FISH_BREED: u32 = 4;
/// Energy at which a shark that moves leaves half of it behind.
pub const SHARK_BREED: u32 = 16;
/// Energy that a shark gains from a fish.
pub const MEAL: u32 = 4;

/// What is in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Value)]
#[repr(u8)]
pub enum Kind {
    /// Nobody.
    Water,
    /// A fish.
    Fish,
    /// A shark.
    Shark,
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

/// A cell with whatever lives in it.
#[soa_class]
pub struct Cell {
    /// Who is here.
    pub kind: Kind,
    /// A fish gains 1 per step; a shark loses 1, gains by eating, and starves at 0.
    pub energy: u32,
    /// North, west, east, south.
    #[inline_array(object)]
    pub around: [Link<Cell>; 4],
    /// Where the animal wants to go.
    pub target: Option<Link<Cell>>,
    /// The energy that it takes along.
    pub carried: u32,
    /// The largest ticket of the fish that want to come here, above its cell's id.
    #[atomic]
    pub fish_claim: u64,
    /// The same for sharks.
    #[atomic]
    pub shark_claim: u64,
}

#[soa_methods]
impl Cell {
    /// One of the neighbours of a kind.
    fn pick(cells: [Ref<Cell>; 4], kinds: [Kind; 4], kind: Kind, random: &mut Random) -> Option<Ref<Cell>> {
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

    /// The neighbours.
    fn cells(&self) -> [Ref<Cell>; 4] {
        [0, 1, 2, 3].map(|n| self.around.get(n))
    }

    fn ticket(&self, random: &mut Random) -> u64 {
        u64::from(random.next_u32()) << 32 | u64::from(self.link().id())
    }

    fn send_fish(&mut self, target: Option<Ref<Cell>>, random: &mut Random) {
        let grown = self.energy + 1;
        self.carried = if grown >= FISH_BREED { 0 } else { grown };
        self.target = target;
        if let Some(target) = target {
            target.fish_claim().max(self.ticket(random));
        }
    }

    fn send_shark(&mut self, target: Option<Ref<Cell>>, random: &mut Random) {
        let left = self.energy - 1;
        self.carried = if self.energy >= SHARK_BREED { left / 2 } else { left };
        self.target = target;
        if let Some(target) = target {
            target.shark_claim().max(self.ticket(random));
        }
    }

    /// As if nobody had ever moved.
    #[kernel]
    pub fn forget(&mut self) {
        self.target = None;
        self.carried = 0;
        self.fish_claim.store(0);
        self.shark_claim.store(0);
    }

    /// Each fish claims a free neighbour.
    #[kernel]
    pub fn choose_fish(&mut self, clock: Ref<Clock>, k: u32) {
        self.shark_claim.store(0);
        if self.kind == Kind::Fish {
            let mut random = Random::new(SEED, self.link().id(), 2 * (clock.step() + k));
            let cells = self.cells();
            let target = Self::pick(cells, cells.map(|cell| cell.kind()), Kind::Water, &mut random);
            self.send_fish(target, &mut random);
        }
    }

    /// Those that won their claim leave, and arrive.
    #[kernel]
    pub fn move_fish(&mut self) {
        match self.kind {
            Kind::Fish => {
                let wins = self.target.is_some_and(|to| to.fish_claim().load() as u32 == self.link().id());
                if !wins {
                    self.energy += 1;
                } else if self.energy + 1 >= FISH_BREED {
                    self.energy = 0;
                } else {
                    self.kind = Kind::Water;
                }
            }
            Kind::Water => {
                if let Some(from) = Link::<Cell>::from_id(self.fish_claim.load() as u32) {
                    let from: Ref<Cell> = self.resolve(from);
                    self.kind = Kind::Fish;
                    self.energy = from.carried();
                }
            }
            Kind::Shark => {}
        }
    }

    /// Each shark claims a neighbour with a fish, or a free one.
    #[kernel]
    pub fn choose_shark(&mut self, clock: Ref<Clock>, k: u32) {
        self.fish_claim.store(0);
        if self.kind == Kind::Shark && self.energy > 0 {
            let mut random = Random::new(SEED, self.link().id(), 2 * (clock.step() + k) + 1);
            let cells = self.cells();
            let kinds = cells.map(|cell| cell.kind());
            let mut target = Self::pick(cells, kinds, Kind::Fish, &mut random);
            if target.is_none() {
                target = Self::pick(cells, kinds, Kind::Water, &mut random);
            }
            self.send_shark(target, &mut random);
        }
    }

    /// Those that won their claim leave, and arrive; the starved ones are gone.
    #[kernel]
    pub fn move_shark(&mut self) {
        if self.kind == Kind::Shark {
            let wins =
                self.energy > 0 && self.target.is_some_and(|to| to.shark_claim().load() as u32 == self.link().id());
            if self.energy == 0 || wins && self.energy < SHARK_BREED {
                self.kind = Kind::Water;
            } else if wins {
                self.energy = (self.energy - 1) / 2;
            } else {
                self.energy -= 1;
            }
        } else if let Some(from) = Link::<Cell>::from_id(self.shark_claim.load() as u32) {
            let from: Ref<Cell> = self.resolve(from);
            self.energy = from.carried() + if self.kind == Kind::Fish { MEAL } else { 0 };
            self.kind = Kind::Shark;
        }
    }
}

/// The sea.
#[soa_world]
pub struct Sea {
    /// One.
    pub clocks: Objects<Clock>,
    /// The torus.
    pub cells: Objects<Cell>,
}
