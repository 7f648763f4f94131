//! Two classes that refer to each other in a cycle: cars on cells of a ring road.

use ikra::prelude::*;

/// A piece of road with room for one car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    /// The cell after it.
    pub next: Link<Cell>,
    /// The car on it.
    pub car: Option<Link<Car>>,
}

/// A car.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    /// Where it is.
    pub cell: Link<Cell>,
    /// Whether it may move on.
    pub free: bool,
}

#[soa_methods]
impl Cell {
    /// Takes over the previous cell's car, or releases its own. All cells read the state from before the kernel.
    #[kernel(snapshot(car))]
    pub fn update(&mut self, before: &[Link<Cell>]) {
        let before: Ref<Cell> = self.resolve(before[self.link().index()]);
        self.car = match (self.car, before.car()) {
            (None, Some(car)) => Some(car),
            (Some(_), _) if self.next.is_free() => None,
            (own, _) => own,
        };
    }

    /// Whether the cell is free.
    pub fn is_free(&self) -> bool {
        self.car.is_none()
    }
}

#[soa_methods]
impl Car {
    /// Checks whether the cell ahead is free.
    #[kernel]
    pub fn look(&mut self) {
        self.free = self.cell.next().is_free();
    }

    /// Moves on.
    #[kernel(snapshot(cell))]
    pub fn go(&mut self) {
        if self.free {
            self.cell = self.cell.next();
        }
    }
}

/// A ring road.
#[soa_world]
#[derive(Debug)]
pub struct Ring {
    /// Cells.
    pub cells: Objects<Cell>,
    /// Cars.
    pub cars: Objects<Car>,
}
