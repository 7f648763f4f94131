//! Checks of the invariants after each step.

use ikra::prelude::*;

use crate::model::{Stretch, car, cell, stretch};
use crate::roads::NO_LIGHT;
use crate::traffic::Traffic;

/// The violations. Cells, cars and groups are identified by their indices, from 0.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Violation {
    /// A cell does not know its car, or has two.
    #[error("after step {step}, cell {cell} counts {counted} cars, and {found} are in it")]
    Occupancy {
        /// The number of completed steps.
        step: u32,
        /// The cell.
        cell: u32,
        /// The car count according to the cell.
        counted: u32,
        /// The car count according to the cars.
        found: u32,
    },
    /// Two cars are in one cell.
    #[error("after step {step}, {cars} cars are in cell {cell}")]
    Collision {
        /// The number of completed steps.
        step: u32,
        /// The cell.
        cell: u32,
        /// The cars in it.
        cars: u32,
    },
    /// A cell that a car claimed, but no car entered.
    #[error("after step {step}, no car is in cell {cell}, to which one wanted to come")]
    Claim {
        /// The number of completed steps.
        step: u32,
        /// The cell.
        cell: u32,
    },
    /// A car was lost or added.
    #[error("after step {step}, the cells count {found} cars, and there were {expected}")]
    Lost {
        /// The number of completed steps.
        step: u32,
        /// The current number of cars.
        found: u64,
        /// The expected number of cars.
        expected: u64,
    },
    /// A car is faster than it can drive, or than the limit allows.
    #[error("after step {step}, car {car} drives {velocity} cells per step, and may drive {limit}")]
    TooFast {
        /// The number of completed steps.
        step: u32,
        /// The car.
        car: u32,
        /// Its velocity.
        velocity: u32,
        /// The minimum of its own largest velocity and the limits on its way.
        limit: u32,
    },
    /// A car accelerated by more than one cell per step.
    #[error("in step {step}, car {car} accelerated from {from} to {to} cells per step")]
    Accelerated {
        /// The number of completed steps.
        step: u32,
        /// The car.
        car: u32,
        /// Its velocity before.
        from: u32,
        /// Its velocity after.
        to: u32,
    },
    /// A car moved from one cell to another that does not follow it.
    #[error("in step {step}, car {car} went from cell {from} to cell {to}, which does not follow it")]
    OffRoad {
        /// The number of completed steps.
        step: u32,
        /// The car.
        car: u32,
        /// The cell that it left.
        from: u32,
        /// The cell that it entered.
        to: u32,
    },
    /// A car drove through another.
    #[error("in step {step}, car {car} drove through cell {cell}, in which there was another")]
    Through {
        /// The number of completed steps.
        step: u32,
        /// The car.
        car: u32,
        /// The cell.
        cell: u32,
    },
    /// A car left a cell with a red light.
    #[error("in step {step}, car {car} passed the red light at cell {cell}")]
    RedLight {
        /// The number of completed steps.
        step: u32,
        /// The car.
        car: u32,
        /// The cell before the light.
        cell: u32,
    },
    /// A controller gives green to several streets, or to no street.
    #[error("after step {step}, {green} signal groups of a controller are green, from group {group} on")]
    Lights {
        /// The number of completed steps.
        step: u32,
        /// The first group of the controller.
        group: u32,
        /// The number of green groups.
        green: u32,
    },
}

/// The state at the last check.
#[derive(Debug)]
pub(crate) struct Before {
    step: u32,
    cells: Vec<u32>,
    velocities: Vec<u32>,
}

impl Traffic {
    /// Checks the model's invariants. Each cell has at most one car, no car was lost, no car is too fast, and one
    /// signal group of each controller is green. If the previous check was one step ago, it also checks the cars' ways.
    /// They must follow the roads, through free cells and not past red lights, at most one cell farther than in the
    /// step before.
    ///
    /// # Errors
    ///
    /// The first violation.
    pub fn check(&mut self) -> Result<(), Violation> {
        let step = self.steps();
        let cells: Vec<u32> = self.world.cars.column(car::cell).iter().map(|cell| cell.index() as u32).collect();
        let velocities = self.world.cars.copy_column(car::velocity);
        self.check_places(step, &cells)?;
        let green = self.green();
        self.check_lights(step, &green)?;
        self.check_velocities(step, &velocities)?;
        if let Some(before) = self.before.as_ref().filter(|before| before.step + 1 == step) {
            self.check_moves(before, step, &cells, &velocities, &green)?;
        }
        self.before = Some(Before { step, cells, velocities });
        Ok(())
    }

    fn check_places(&self, step: u32, cars: &[u32]) -> Result<(), Violation> {
        let taken = self.world.stretches.copy_column(stretch::taken);
        let claims = self.world.cells.copy_column(cell::claim);
        let mut found = vec![0_u32; self.roads.cells()];
        for &cell in cars {
            found[cell as usize] += 1;
        }
        for (cell, (&found, &claim)) in (0..).zip(found.iter().zip(&claims)) {
            let n = cell as usize;
            let (word, bit) = (n / Stretch::CELLS as usize, n as u32 % Stretch::CELLS);
            let counted = taken[word] >> bit & 1;
            if found > 1 {
                return Err(Violation::Collision { step, cell, cars: found });
            }
            if counted != found {
                return Err(Violation::Occupancy { step, cell, counted, found });
            }
            if claim > 0 && found == 0 {
                return Err(Violation::Claim { step, cell });
            }
        }
        let (sum, expected) =
            (taken.iter().map(|taken| u64::from(taken.count_ones())).sum(), u64::from(self.parameters.cars));
        if sum != expected || cars.len() as u64 != expected {
            return Err(Violation::Lost { step, found: sum, expected });
        }
        Ok(())
    }

    fn check_lights(&self, step: u32, green: &[u32]) -> Result<(), Violation> {
        if step == 0 {
            return Ok(());
        }
        for controls in &self.roads.controllers {
            let groups = controls.first as usize..(controls.first + controls.count) as usize;
            let green = green[groups].iter().filter(|&&at| at == step).count() as u32;
            if green != 1 {
                return Err(Violation::Lights { step, group: controls.first, green });
            }
        }
        Ok(())
    }

    fn check_velocities(&self, step: u32, velocities: &[u32]) -> Result<(), Violation> {
        let most = self.world.cars.column(car::max_velocity);
        for (car, (&velocity, &limit)) in (0..).zip(velocities.iter().zip(most)) {
            if velocity > limit {
                return Err(Violation::TooFast { step, car, velocity, limit });
            }
        }
        Ok(())
    }

    fn check_moves(
        &self,
        before: &Before,
        step: u32,
        cells: &[u32],
        velocities: &[u32],
        green: &[u32],
    ) -> Result<(), Violation> {
        let lights = self.roads.lights();
        let mut was_taken = vec![false; self.roads.cells()];
        for &cell in &before.cells {
            was_taken[cell as usize] = true;
        }
        for (car, link) in (0..).zip(self.world.cars.links()) {
            let (n, view) = (car as usize, self.world.get(link));
            let (was, to) = (before.velocities[n], velocities[n]);
            if to > was + 1 {
                return Err(Violation::Accelerated { step, car, from: was, to });
            }
            let mut at = before.cells[n];
            for next in view.path().range(..to as usize) {
                let next = next.link().index() as u32;
                let onward = self.roads.outgoing.row(at as usize);
                // From a sink, cars may come back in any cell.
                if !onward.is_empty() {
                    if !onward.contains(&next) {
                        return Err(Violation::OffRoad { step, car, from: at, to: next });
                    }
                    let light = lights[at as usize];
                    if light != NO_LIGHT && green[light as usize] != step {
                        return Err(Violation::RedLight { step, car, cell: at });
                    }
                }
                let limit = u32::from(self.roads.limits[next as usize]);
                if to > limit {
                    return Err(Violation::TooFast { step, car, velocity: to, limit });
                }
                if was_taken[next as usize] {
                    return Err(Violation::Through { step, car, cell: next });
                }
                at = next;
            }
            if at != cells[n] {
                return Err(Violation::OffRoad { step, car, from: at, to: cells[n] });
            }
        }
        Ok(())
    }
}
