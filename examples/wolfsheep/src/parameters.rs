//! The declared sizes, and the start that a seed gives.

use crate::model::{Purpose, Rules};

/// The parameters of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Cells from left to right, and from top to bottom.
    pub size: [u32; 2],
    /// Sheep at the start.
    pub sheep: u32,
    /// Wolves at the start.
    pub wolves: u32,
    /// Steps until grass has grown again.
    pub regrowth: u32,
    /// The probability that a sheep has a child in a step.
    pub sheep_reproduce: f32,
    /// The probability that a wolf has a child in a step.
    pub wolves_reproduce: f32,
    /// The energy that a sheep gains from grass.
    pub sheep_gain: f64,
    /// The energy that a wolf gains from a sheep.
    pub wolf_gain: f64,
    /// The seed of all random numbers.
    pub seed: u64,
}

impl Parameters {
    /// The small size of the comparison.
    #[must_use]
    pub const fn small(seed: u64) -> Self {
        Self {
            size: [25, 25],
            sheep: 60,
            wolves: 40,
            regrowth: 20,
            sheep_reproduce: 0.2,
            wolves_reproduce: 0.1,
            sheep_gain: 5.0,
            wolf_gain: 13.0,
            seed,
        }
    }

    /// The large size of the comparison.
    #[must_use]
    pub const fn large(seed: u64) -> Self {
        Self {
            size: [100, 100],
            sheep: 1000,
            wolves: 500,
            regrowth: 10,
            sheep_reproduce: 0.4,
            wolves_reproduce: 0.2,
            ..Self::small(seed)
        }
    }

    /// A hundred times the large size.
    #[must_use]
    pub const fn huge(seed: u64) -> Self {
        Self { size: [1000, 1000], sheep: 100_000, wolves: 50_000, ..Self::large(seed) }
    }

    /// The rules of a step.
    #[must_use]
    pub const fn rules(&self, step: u32) -> Rules {
        let [width, height] = self.size;
        Rules { seed: self.seed, width, height, regrowth: self.regrowth, step }
    }

    /// The number of cells.
    #[must_use]
    pub const fn cells(&self) -> u32 {
        self.size[0] * self.size[1]
    }
}

/// An animal at the start.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Animal {
    /// Its cell.
    pub at: [u32; 2],
    /// Its energy.
    pub energy: f64,
}

/// The start of a run.
#[derive(Clone, Debug)]
pub struct Start {
    /// Steps until the grass of each cell has grown.
    pub waits: Vec<u32>,
    /// Sheep.
    pub sheep: Vec<Animal>,
    /// Wolves.
    pub wolves: Vec<Animal>,
}

impl Start {
    /// Half of the cells have grown grass, animals are anywhere, with an energy from 1 to twice that of a meal.
    #[must_use]
    pub fn of(parameters: &Parameters) -> Self {
        let [width, height] = parameters.size;
        // One kind after another, each with a step of its own before the first.
        let rules = |kind: u32| parameters.rules(u32::MAX - kind);
        let animals = |kind: u32, count: u32, gain: f64| {
            let animal = |n: u32| {
                let mut random = rules(kind).random(Purpose::Start, n);
                let at = [random.below(width), random.below(height)];
                Animal { at, energy: f64::from(1 + random.below(2 * gain as u32)) }
            };
            (0..count).map(animal).collect()
        };
        let wait = |n: u32| {
            let mut random = rules(0).random(Purpose::Start, n);
            if random.below(2) == 0 { 0 } else { 1 + random.below(parameters.regrowth) }
        };
        Self {
            waits: (0..parameters.cells()).map(wait).collect(),
            sheep: animals(1, parameters.sheep, parameters.sheep_gain),
            wolves: animals(2, parameters.wolves, parameters.wolf_gain),
        }
    }
}
