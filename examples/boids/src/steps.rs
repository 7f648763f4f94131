//! The kernels of a step, at any place.

use ikra::{Grid, On};

use crate::model::{Boid, Rules, Sky};

/// The cells of the box in which boids look for others.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Cells {
    Plane(Grid<2>),
    Space(Grid<3>),
}

impl Cells {
    /// The cells for this number of dimensions.
    pub(crate) fn new(dims: u8, rules: &Rules) -> Self {
        let (size, radius) = (rules.size, rules.radius);
        match dims {
            2 => Self::Plane(Grid::new([0.0; 2], [size; 2], radius).periodic()),
            _ => Self::Space(Grid::new([0.0; 3], [size; 3], radius).periodic()),
        }
    }
}

/// A time step: each boid looks around, then all fly on.
pub(crate) fn step(sky: &mut On<'_, Sky>, cells: Cells, rules: Rules) -> Result<(), ikra::Error> {
    match cells {
        Cells::Plane(grid) => {
            let near = sky.group_by(Boid::in_plane, grid, ())?;
            sky.execute(Boid::look_in_plane, (&near, rules))?;
        }
        Cells::Space(grid) => {
            let near = sky.group_by(Boid::in_space, grid, ())?;
            sky.execute(Boid::look_in_space, (&near, rules))?;
        }
    }
    sky.execute(Boid::fly, rules)
}
