//! Schelling's model: unhappy agents move to random free cells.
//!
//! In Ikra all agents look at once, then all unhappy ones choose a cell that is free, and the smallest lot wins it. Who
//! loses tries again in the same step, a few times. A cell that an agent leaves is free from the next round on.

use ikra::prelude::*;
use ikra::rng::Random;

use crate::numbers::Numbers;
use crate::{Contestant, Run, Size};

/// How often agents try to find a cell in a step.
const ROUNDS: u32 = 4;

pub const CONTESTANTS: &[Contestant] = &[
    Contestant { name: "Ikra, 1 thread", threads: 1, is_for_huge: true, new: ikra },
    Contestant { name: "Ikra, 2 threads", threads: 2, is_for_huge: true, new: ikra },
    Contestant { name: "by hand", threads: 1, is_for_huge: true, new: by_hand },
];

/// Agents, and the rules.
fn declared(size: Size, seed: u64) -> (u32, Rules) {
    let (agents, side, radius, least) = match size {
        Size::Small => (1000, 40, 1, 3),
        Size::Large => (8000, 100, 2, 8),
        Size::Huge => (800_000, 1000, 2, 8),
    };
    (agents, Rules { seed, side, radius, least, round: 0 })
}

/// The agents' cells.
fn start(agents: u32, rules: Rules) -> Vec<u32> {
    let mut cells: Vec<u32> = (0..rules.side * rules.side).collect();
    Numbers(rules.seed).shuffle(&mut cells);
    cells.truncate(agents as usize);
    cells
}

#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Rules {
    seed: u64,
    side: u32,
    radius: u32,
    least: u32,
    round: u32,
}

impl Rules {
    /// The cells around one.
    #[inline(always)]
    fn around(self, cell: u32) -> impl Iterator<Item = u32> {
        let [x, y] = [cell % self.side, cell / self.side];
        let near = move |at: u32| at.saturating_sub(self.radius)..(at + self.radius + 1).min(self.side);
        near(y)
            .flat_map(move |row| near(x).map(move |column| row * self.side + column))
            .filter(move |&other| other != cell)
    }
}

#[soa_class]
pub struct Spot {
    /// The group of its agent: 1 or 2; 0 if it is free.
    #[atomic]
    pub group: u32,
    /// The smallest lot of the agents that want it.
    #[atomic]
    pub claim: u64,
}

#[soa_class]
pub struct Agent {
    pub cell: u32,
    pub group: u32,
    pub is_happy: bool,
    /// Whether it has found no cell yet in this step.
    pub seeks: bool,
    pub wish: u32,
    pub lot: u64,
}

#[soa_methods]
impl Spot {
    #[kernel]
    pub fn reset(&mut self) {
        self.claim.store(u64::MAX);
    }
}

#[soa_methods]
impl Agent {
    fn spot(&self, cell: u32) -> Ref<Spot> {
        match self.all::<Spot>().get(cell as usize) {
            Some(spot) => spot,
            None => unreachable!(),
        }
    }

    /// Looks at its neighbours.
    #[kernel]
    pub fn look(&mut self, rules: Rules) {
        let same = rules.around(self.cell).filter(|&cell| self.spot(cell).group().load() == self.group).count();
        self.is_happy = same as u32 >= rules.least;
        self.seeks = !self.is_happy;
    }

    /// An unhappy agent chooses a free cell.
    #[kernel]
    pub fn choose(&mut self, rules: Rules) {
        if self.seeks {
            let id = self.link().id();
            let mut random = Random::new(rules.seed, id, rules.round);
            let lot = random.next_u32();
            let mut wish = random.below(rules.side * rules.side);
            while self.spot(wish).group().load() != 0 {
                wish = random.below(rules.side * rules.side);
            }
            self.wish = wish;
            self.lot = u64::from(lot) << 32 | u64::from(id);
            self.spot(wish).claim().min(self.lot);
        }
    }

    /// Moves, if its lot was the smallest.
    ///
    /// One agent has each claim, and one agent was in each cell: the order of the stores does not matter.
    #[kernel(unordered(group, claim))]
    pub fn go(&mut self) {
        if self.seeks {
            let spot = self.spot(self.wish);
            if spot.claim().load() == self.lot {
                self.spot(self.cell).group().store(0);
                spot.group().store(self.group);
                self.cell = self.wish;
                self.seeks = false;
            }
        }
    }

    #[kernel(reduce(Sum))]
    pub fn happy(&self) -> u32 {
        u32::from(self.is_happy)
    }

    #[kernel(reduce(Any))]
    pub fn has_to_seek(&self) -> bool {
        self.seeks
    }
}

#[soa_world]
pub struct Town {
    pub spots: Objects<Spot>,
    pub agents: Objects<Agent>,
}

fn world(size: Size, seed: u64) -> (Town, Rules) {
    let (count, rules) = declared(size, seed);
    let (cells, mut town) = (start(count, rules), Town::new());
    let mut groups = vec![0; (rules.side * rules.side) as usize];
    let mut agents = Vec::new();
    for (n, cell) in (0..).zip(cells) {
        let group = 1 + n % 2;
        groups[cell as usize] = group;
        agents.push(Agent { cell, group, is_happy: false, seeks: false, wish: 0, lot: 0 });
    }
    town.spots.extend(groups.into_iter().map(|group| Spot { group, claim: u64::MAX })).expect("there is memory");
    town.agents.extend(agents).expect("there is memory");
    (town, rules)
}

fn step(town: &mut Town, rules: Rules, step: u32) {
    town.execute(Agent::look, rules);
    for round in 0..ROUNDS {
        if !town.execute_and_reduce(Agent::has_to_seek, (), Any) {
            break;
        }
        town.execute(Agent::choose, Rules { round: step * ROUNDS + round, ..rules });
        town.execute(Agent::go, ());
        town.execute(Spot::reset, ());
    }
}

fn ikra(size: Size, seed: u64) -> Run {
    let (mut town, rules) = world(size, seed);
    let mut n = 0;
    Box::new(move || {
        step(&mut town, rules, n);
        n += 1;
    })
}

/// Agents that act one after another, in an order that is drawn anew in each step.
struct Plain {
    rules: Rules,
    numbers: Numbers,
    groups: Vec<u8>,
    free: Vec<u32>,
    /// Cell, group, whether it is happy.
    agents: Vec<(u32, u8, bool)>,
}

impl Plain {
    fn new(size: Size, seed: u64) -> Self {
        let (count, rules) = declared(size, seed);
        let mut groups = vec![0; (rules.side * rules.side) as usize];
        let agent = |(n, cell): (u32, u32)| {
            let group = 1 + (n % 2) as u8;
            groups[cell as usize] = group;
            (cell, group, false)
        };
        let agents = (0..).zip(start(count, rules)).map(agent).collect();
        let free = (0..).zip(&groups).filter(|(_, group)| **group == 0).map(|(cell, _)| cell).collect();
        Self { rules, numbers: Numbers(seed ^ 77), groups, free, agents }
    }

    fn step(&mut self) {
        self.numbers.shuffle(&mut self.agents);
        for (cell, group, is_happy) in &mut self.agents {
            let same = self.rules.around(*cell).filter(|&other| self.groups[other as usize] == *group).count();
            *is_happy = same as u32 >= self.rules.least;
            if !*is_happy {
                let place = self.numbers.below(self.free.len() as u32) as usize;
                self.groups[*cell as usize] = 0;
                std::mem::swap(&mut self.free[place], cell);
                self.groups[*cell as usize] = *group;
            }
        }
    }
}

fn by_hand(size: Size, seed: u64) -> Run {
    let mut town = Plain::new(size, seed);
    Box::new(move || town.step())
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: u32 = 20;

    #[test]
    fn agents_are_about_as_happy_as_in_turn() {
        for size in [Size::Small, Size::Large] {
            let mut shares = [0.0; 2];
            for seed in 0..20 {
                let ((mut town, rules), mut plain) = (world(size, seed), Plain::new(size, seed));
                for n in 0..STEPS {
                    step(&mut town, rules, n);
                    plain.step();
                }
                let count = plain.agents.len() as f64;
                shares[0] += f64::from(town.execute_and_reduce(Agent::happy, (), Sum)) / count / 20.0;
                shares[1] += plain.agents.iter().filter(|agent| agent.2).count() as f64 / count / 20.0;
                let mut cells: Vec<_> = town.agents.iter().map(|agent| agent.cell).collect();
                cells.sort_unstable();
                cells.dedup();
                assert_eq!(cells.len(), plain.agents.len(), "one agent per cell");
            }
            println!("{size:?}: {shares:?}");
            assert!((shares[0] - shares[1]).abs() < 0.03, "{shares:?}");
        }
    }
}
