//! A world of the model, step by step.

use ikra::prelude::*;
use ikra::{Error, Place};

use crate::model::{Patch, Sheep, Simulation, Wolf, patch};
use crate::{Counts, Parameters, Start};

/// What is seen in a cell: its most dangerous animal, or its grass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Grass that has not grown yet.
    Bare,
    /// Grass.
    Grass,
    /// A sheep.
    Sheep,
    /// A wolf.
    Wolf,
}

/// Wolves, sheep and grass in a world of Ikra.
///
/// ```
/// use ikra::Place;
/// use wolfsheep::{Field, Parameters, Twin};
///
/// # fn main() -> Result<(), ikra::Error> {
/// let parameters = Parameters::small(1);
/// let (mut field, mut twin) = (Field::new(&parameters)?, Twin::new(&parameters));
/// for _ in 0..20 {
///     field.step(Place::Host)?;
///     twin.step();
/// }
/// assert_eq!(field.counts(), twin.counts());
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Field {
    parameters: Parameters,
    /// The world.
    pub world: Simulation,
    step: u32,
}

impl Field {
    /// The start of a run.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`], [`Error::TooManyObjects`].
    pub fn new(parameters: &Parameters) -> Result<Self, Error> {
        let (start, mut world) = (Start::of(parameters), Simulation::new());
        let Parameters { sheep_gain, wolf_gain, sheep_reproduce, wolves_reproduce, .. } = *parameters;
        world.patches.extend(start.waits.into_iter().map(Patch::new))?;
        world
            .sheep
            .extend(start.sheep.iter().map(|one| Sheep::new(one.at, one.energy, sheep_gain, sheep_reproduce)))?;
        world
            .wolves
            .extend(start.wolves.iter().map(|one| Wolf::new(one.at, one.energy, wolf_gain, wolves_reproduce)))?;
        Ok(Self { parameters: parameters.clone(), world, step: 0 })
    }

    /// A step.
    ///
    /// # Errors
    ///
    /// Errors of the place, and of memory for new animals.
    pub fn step(&mut self, place: Place) -> Result<(), Error> {
        let rules = self.parameters.rules(self.step);
        let mut world = self.world.on(place);
        world.execute(Sheep::draw, rules)?;
        world.execute(Wolf::draw, rules)?;
        world.execute(Sheep::walk, rules)?;
        world.execute(Wolf::walk, rules)?;
        world.execute(Sheep::live, rules)?;
        world.execute(Sheep::meet, rules)?;
        world.execute(Sheep::flee, rules)?;
        world.execute(Wolf::live, rules)?;
        world.execute(Patch::grow, rules)?;
        self.step += 1;
        Ok(())
    }

    /// The number of cells from left to right.
    #[must_use]
    pub fn width(&self) -> usize {
        self.parameters.size[0] as usize
    }

    /// What is seen in each cell, row by row.
    pub fn cells(&self) -> impl Iterator<Item = Cell> {
        let waits = self.world.patches.column(patch::wait);
        let mut cells: Vec<_> = waits.iter().map(|&wait| if wait == 0 { Cell::Grass } else { Cell::Bare }).collect();
        let rules = self.parameters.rules(0);
        self.world.sheep.iter().for_each(|sheep| cells[rules.cell(sheep.at)] = Cell::Sheep);
        self.world.wolves.iter().for_each(|wolf| cells[rules.cell(wolf.at)] = Cell::Wolf);
        cells.into_iter()
    }

    /// The populations.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let grass = self.world.patches.column(patch::wait).iter().filter(|&&wait| wait == 0).count();
        Counts { sheep: self.world.sheep.len(), wolves: self.world.wolves.len(), grass }
    }
}
