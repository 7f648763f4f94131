//! The traffic of `examples/traffic`.

use std::time::Instant;

use ikra::Place;
use ikra::prelude::*;
use streets::City;
use traffic::model::{Simulation, car, shared_signal_group};
use traffic::{Parameters, Traffic};

use super::{Case, Input, Outcome};
use crate::inputs::Streets;
use crate::words_checksum;

/// Steps that are not timed, so that all is recorded.
const WARM_UP: u32 = 72;

/// Traffic that has done no step: on a city like Denver, but smaller, as in INNER §5.3.
///
/// # Panics
///
/// If there are more cars than cells.
pub fn start(streets: Streets) -> Traffic {
    let scaled = |count: u32| (u64::from(count) * u64::from(streets.thousandths) / 1000) as u32;
    let all = City::DENVER;
    let city = City {
        junctions: scaled(all.junctions).max(2),
        streets: all.streets.map(scaled),
        lights: all.lights.map(scaled),
        yields: all.yields.map(scaled),
        ..all
    };
    let seconds = 2.6;
    let speed = |cells: f32| cells * 5.0 / seconds;
    let speeds = speed(15.0)..=speed(30.0);
    Traffic::new(&city.build(), &Parameters { cars: streets.cars, seconds, speeds, ..Parameters::default() })
        .expect("there are cells for all cars")
}

/// The checksum of where cars are, how fast, and when lights were green.
pub fn checksum(cells: &[u32], velocities: &[u32], green: &[u32]) -> u64 {
    words_checksum([cells, velocities, green].into_iter().flatten().copied())
}

/// That of a world.
fn checksum_of(world: &Simulation) -> u64 {
    let cells: Vec<u32> = world.cars.copy_column(car::cell).iter().map(|cell| cell.index() as u32).collect();
    let green = world.groups.copy_column(shared_signal_group::green_at);
    checksum(&cells, &world.cars.copy_column(car::velocity), &green)
}

/// How many objects a world has.
fn count(world: &Simulation) -> usize {
    let controllers = world.traffic_lights.len() + world.smart_traffic_lights.len() + world.yield_controllers.len();
    world.cells.len() + world.cars.len() + world.groups.len() + controllers
}

pub(super) fn case(streets: Streets) -> Case {
    let objects = count(start(streets).world());
    let ikra = move |place: Place| {
        let begin = Instant::now();
        let mut traffic = start(streets);
        let making = begin.elapsed();
        traffic.step(place, WARM_UP)?;
        traffic.world().on(place).synchronize()?;
        let begin = Instant::now();
        traffic.step(place, streets.steps)?;
        traffic.world().on(place).synchronize()?;
        let running = begin.elapsed();
        Ok(Outcome { making, running, checksum: checksum_of(traffic.world()) })
    };
    Case { name: "TRAF", objects, input: Input::Traffic(streets), texts: None, ikra: Box::new(ikra) }
}
