//! Flocking: all birds look at once, then all fly. Birds are kept in the order of their cells, which are as wide as they
//! see.

use ikra::prelude::*;

use crate::numbers::Numbers;
use crate::{Contestant, Run, Size};

pub const CONTESTANTS: &[Contestant] = &[
    Contestant { name: "Ikra, 1 thread", threads: 1, is_for_huge: true, new: ikra },
    Contestant { name: "Ikra, 2 threads", threads: 2, is_for_huge: true, new: ikra },
    Contestant { name: "by hand", threads: 1, is_for_huge: true, new: by_hand },
];

/// Birds, the side of the square, and how far they see.
fn declared(size: Size) -> (u32, Rules) {
    let (birds, side, sight) = match size {
        Size::Small => (200, 100.0, 5.0),
        Size::Large => (400, 150.0, 15.0),
        Size::Huge => (40_000, 1500.0, 15.0),
    };
    (birds, Rules { side, sight, across: (side / sight) as u32 })
}

/// Positions and velocities at the start.
fn start(birds: u32, rules: Rules, seed: u64) -> Vec<([f64; 2], [f64; 2])> {
    let mut numbers = Numbers(seed);
    let mut bird = || {
        let at = [0; 2].map(|_| numbers.uniform() * rules.side);
        (at, unit([0; 2].map(|_| numbers.uniform() - 0.5)))
    };
    (0..birds).map(|_| bird()).collect()
}

#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Rules {
    side: f64,
    sight: f64,
    across: u32,
}

fn unit([x, y]: [f64; 2]) -> [f64; 2] {
    let length = (x * x + y * y).sqrt();
    [x / length, y / length]
}

impl Rules {
    fn column(self, x: f64) -> u32 {
        ((x / self.side * f64::from(self.across)) as u32).min(self.across - 1)
    }

    fn cell(self, at: [f64; 2]) -> u32 {
        self.column(at[1]) * self.across + self.column(at[0])
    }

    /// The cell beside column or row `n`, with joined sides.
    fn beside(self, n: u32, by: u32) -> u32 {
        (n + self.across + by - 1) % self.across
    }

    /// From one place to another, the short way.
    fn way(self, from: [f64; 2], to: [f64; 2]) -> [f64; 2] {
        let short = |d: f64| {
            if d > self.side / 2.0 {
                d - self.side
            } else if d < -self.side / 2.0 {
                d + self.side
            } else {
                d
            }
        };
        [short(to[0] - from[0]), short(to[1] - from[1])]
    }

    fn flown(self, at: [f64; 2], velocity: [f64; 2]) -> [f64; 2] {
        [0, 1].map(|d| (at[d] + velocity[d]).rem_euclid(self.side) % self.side)
    }
}

/// Sums over the birds that one sees.
#[derive(Clone, Copy, Default)]
struct Seen {
    count: f64,
    cohere: [f64; 2],
    separate: [f64; 2],
    velocity: [f64; 2],
}

impl Seen {
    #[inline(always)]
    fn see(&mut self, rules: Rules, way: [f64; 2], velocity: [f64; 2]) {
        let distance = way[0] * way[0] + way[1] * way[1];
        if distance < rules.sight * rules.sight && distance > 0.0 {
            self.count += 1.0;
            for d in 0..2 {
                self.cohere[d] += way[d];
                self.velocity[d] += velocity[d];
                if distance < 1.0 {
                    self.separate[d] -= way[d];
                }
            }
        }
    }

    fn turned(&self, velocity: [f64; 2]) -> [f64; 2] {
        let count = self.count.max(1.0);
        unit([0, 1].map(|d| {
            let [cohere, separate, turn] = [self.cohere[d] * 0.03, self.separate[d] * 0.015, self.velocity[d] * 0.05];
            (velocity[d] + (cohere + separate + turn) / count) / 2.0
        }))
    }
}

#[soa_class]
pub struct Bird {
    pub at: [f64; 2],
    pub velocity: [f64; 2],
    pub next: [f64; 2],
}

#[soa_methods]
impl Bird {
    #[kernel]
    pub fn cell(&self, rules: Rules) -> u32 {
        rules.cell(self.at)
    }

    /// `first` has the place of the first bird of each cell.
    #[kernel]
    pub fn look(&mut self, rules: Rules, first: &[u32]) {
        let mut seen = Seen::default();
        let [x, y] = [rules.column(self.at[0]), rules.column(self.at[1])];
        for row in 0..3 {
            for column in 0..3 {
                let cell = (rules.beside(y, row) * rules.across + rules.beside(x, column)) as usize;
                for other in self.all::<Bird>().range(first[cell] as usize..first[cell + 1] as usize) {
                    seen.see(rules, rules.way(self.at, other.at()), other.velocity());
                }
            }
        }
        self.next = seen.turned(self.velocity);
    }

    #[kernel]
    pub fn fly(&mut self, rules: Rules) {
        self.velocity = self.next;
        self.at = rules.flown(self.at, self.next);
    }
}

#[soa_world]
pub struct Sky {
    pub birds: Objects<Bird>,
}

/// The places of the first bird of each cell, and of the end; `cells` ascend.
fn firsts(cells: &[u32], rules: Rules) -> Vec<u32> {
    let mut first = vec![0; (rules.across * rules.across) as usize + 1];
    cells.iter().for_each(|&cell| first[cell as usize + 1] += 1);
    for n in 1..first.len() {
        first[n] += first[n - 1];
    }
    first
}

fn step(sky: &mut Sky, rules: Rules) {
    sky.sort_by_key(Bird::cell, rules).expect("birds have no links");
    let first = firsts(&sky.execute_and_collect(Bird::cell, rules), rules);
    sky.execute(Bird::look, (rules, first.as_slice()));
    sky.execute(Bird::fly, rules);
}

fn world(size: Size, seed: u64) -> (Sky, Rules) {
    let (birds, rules) = declared(size);
    let mut sky = Sky::new();
    let rows = start(birds, rules, seed).into_iter().map(|(at, velocity)| Bird { at, velocity, next: velocity });
    sky.birds.extend(rows).expect("there is memory");
    (sky, rules)
}

fn ikra(size: Size, seed: u64) -> Run {
    let (mut sky, rules) = world(size, seed);
    Box::new(move || step(&mut sky, rules))
}

#[derive(Clone, Copy)]
struct Plain {
    at: [f64; 2],
    velocity: [f64; 2],
}

/// Sorts birds by cell, by counting; `sorted` is memory for them.
fn step_by_hand(birds: &mut Vec<Plain>, sorted: &mut Vec<Plain>, rules: Rules) {
    let mut first = vec![0_u32; (rules.across * rules.across) as usize + 2];
    birds.iter().for_each(|bird| first[rules.cell(bird.at) as usize + 2] += 1);
    for n in 2..first.len() {
        first[n] += first[n - 1];
    }
    sorted.resize(birds.len(), birds[0]);
    for bird in birds.iter() {
        let place = &mut first[rules.cell(bird.at) as usize + 1];
        sorted[*place as usize] = *bird;
        *place += 1;
    }
    for (bird, new) in sorted.iter().zip(birds.iter_mut()) {
        let mut seen = Seen::default();
        let [x, y] = [rules.column(bird.at[0]), rules.column(bird.at[1])];
        for row in 0..3 {
            for column in 0..3 {
                let cell = (rules.beside(y, row) * rules.across + rules.beside(x, column)) as usize;
                for other in &sorted[first[cell] as usize..first[cell + 1] as usize] {
                    seen.see(rules, rules.way(bird.at, other.at), other.velocity);
                }
            }
        }
        let velocity = seen.turned(bird.velocity);
        *new = Plain { at: rules.flown(bird.at, velocity), velocity };
    }
}

fn by_hand(size: Size, seed: u64) -> Run {
    let (birds, rules) = declared(size);
    let mut birds: Vec<_> =
        start(birds, rules, seed).into_iter().map(|(at, velocity)| Plain { at, velocity }).collect();
    let mut sorted = Vec::new();
    Box::new(move || step_by_hand(&mut birds, &mut sorted, rules))
}

#[cfg(test)]
mod tests {
    use super::*;

    const STEPS: u32 = 100;

    #[test]
    fn both_programs_have_the_same_birds_bit_for_bit() {
        for size in [Size::Small, Size::Large] {
            let (mut sky, rules) = world(size, 3);
            let (count, _) = declared(size);
            let mut birds: Vec<_> =
                start(count, rules, 3).into_iter().map(|(at, velocity)| Plain { at, velocity }).collect();
            let mut sorted = Vec::new();
            for _ in 0..STEPS {
                step(&mut sky, rules);
                step_by_hand(&mut birds, &mut sorted, rules);
            }
            let plain: Vec<_> = birds.iter().map(|bird| bird.at).collect();
            assert_eq!(sky.birds.iter().map(|bird| bird.at).collect::<Vec<_>>(), plain);
        }
    }
}
