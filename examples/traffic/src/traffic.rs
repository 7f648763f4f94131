//! Cars on roads.

use ikra::prelude::*;
use ikra::rng::Random;
use ikra::{On, Place, Recording};
use streets::{Network, NoMemory, room_for};

use crate::check::{Before, Violation};
use crate::export::ImportError;
use crate::model::{
    Car, Cell, Clock, Controller, Rules, SharedSignalGroup, Sign, Simulation, SmartTrafficLight, Stretch, TrafficLight,
    YieldController, car, cell, clock, shared_signal_group, smart_traffic_light, traffic_light, yield_controller,
};
use crate::parameters::Parameters;
use crate::roads::{Kind, NO_LIGHT, Roads, RoadsError};
use crate::rows::Rows;

/// The numbers of steps that are recorded together. A run uses the first as often as possible, then the second, and so
/// on.
const BATCHES: [u32; 3] = [64, 8, 1];
/// The memory of a cell, of a car and of a cell of its path, including temporary memory, in bytes.
const PER_CELL: u64 = 64;
const PER_CAR: u64 = 96;
const PER_PATH_CELL: u64 = 16;
/// The step number for random choices at the start.
const START: u32 = u32::MAX;

/// Cars on roads: see [the crate's documentation](crate).
#[derive(Debug)]
pub struct Traffic {
    pub(crate) world: Simulation,
    pub(crate) roads: Roads,
    pub(crate) parameters: Parameters,
    clock: Link<Clock>,
    recordings: Vec<(u32, Recording)>,
    /// The state at the last [`check`](Self::check).
    pub(crate) before: Option<Before>,
}

/// The reason why traffic cannot be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrafficError {
    /// The roads cannot be built.
    #[error(transparent)]
    Roads(#[from] RoadsError),
    /// The roads have too few cells for the cars.
    #[error("{cars} cars do not fit: there are {cells} cells, and each holds one car")]
    TooManyCars {
        /// The requested number of cars.
        cars: u32,
        /// The number of free cells.
        cells: usize,
    },
    /// The traffic needs more memory than is free.
    #[error("{cells} cells with {cars} cars: {memory}; take fewer cars, longer cells, or a smaller area")]
    NoMemory {
        /// The number of cells.
        cells: usize,
        /// The number of cars.
        cars: usize,
        /// The memory that it needs.
        memory: NoMemory,
    },
    /// The file was not written by an export.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// An error of Ikra: no room, or no such place.
    #[error(transparent)]
    Ikra(#[from] ikra::Error),
    /// The model violates an invariant: see [`Traffic::check`].
    #[error(transparent)]
    Violation(#[from] Violation),
}

/// The start of a car.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub(crate) cell: u32,
    pub(crate) velocity: u32,
    pub(crate) max_velocity: u32,
}

/// A car after the last step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CarState {
    /// Its street.
    pub street: u32,
    /// Metres from the beginning of the street.
    pub metres: f32,
    /// Cells per step.
    pub velocity: u32,
    /// Cells per step at most.
    pub max_velocity: u32,
}

/// The light of a street at a junction, after the last step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LightState {
    /// The junction.
    pub junction: u32,
    /// The street that leads to it.
    pub street: u32,
    /// Whether it is a light. Otherwise it is a sign, and drivers look for other cars.
    pub is_light: bool,
    /// Whether cars may go.
    pub is_green: bool,
}

/// Statistics of all cars. Velocities are in cells per step: see [`Parameters::kilometres_per_hour`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Statistics {
    /// The number of completed steps.
    pub step: u32,
    /// The number of cars.
    pub cars: u32,
    /// The mean velocity; 0 without cars.
    pub mean_velocity: f64,
    /// Its standard deviation.
    pub deviation: f64,
    /// The share of cars that did not move.
    pub stopped: f64,
    /// Cars per cell.
    pub density: f64,
    /// Cars that pass a cell per step, on average.
    pub flow: f64,
}

impl Traffic {
    /// Cars at random positions in a network's streets, at rest.
    ///
    /// # Errors
    ///
    /// [`TrafficError::Roads`]; [`TrafficError::TooManyCars`]; the errors of Ikra.
    pub fn new(network: &Network, parameters: &Parameters) -> Result<Self, TrafficError> {
        Self::on_roads(Roads::new(network, parameters)?, parameters)
    }

    /// Cars at random positions of a ring, at rest. All cells and all cars have the same largest velocity, in cells per
    /// step.
    ///
    /// ```
    /// use ikra::Place;
    /// use traffic::{Parameters, Traffic};
    ///
    /// # fn main() -> Result<(), traffic::TrafficError> {
    /// let parameters = Parameters { cars: 1, randomisation: 0.0, ..Parameters::default() };
    /// let mut ring = Traffic::ring(100, 5, &parameters)?;
    /// ring.step(Place::Host, 20)?;
    /// assert_eq!(ring.cars().next().unwrap().velocity, 5);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn ring(cells: u32, max_velocity: u32, parameters: &Parameters) -> Result<Self, TrafficError> {
        let roads = Roads::ring(cells, max_velocity, parameters.cell_length)?;
        let starts = starts(&roads, parameters)?;
        let max_velocity = max_velocity.clamp(1, Parameters::MOST_VELOCITY);
        let cars = starts.into_iter().map(|cell| Start { cell, velocity: 0, max_velocity });
        Self::with_cars(roads, parameters, &cars.collect::<Vec<_>>())
    }

    /// Cars at random positions on roads, at rest.
    ///
    /// # Errors
    ///
    /// As for [`new`](Self::new).
    pub fn on_roads(roads: Roads, parameters: &Parameters) -> Result<Self, TrafficError> {
        let starts = starts(&roads, parameters)?;
        let (low, high) = (*parameters.speeds.start(), *parameters.speeds.end());
        let cars = starts.into_iter().enumerate().map(|(n, cell)| {
            let share = Random::new(parameters.seed, n as u32, START - 1).uniform_f32();
            Start { cell, velocity: 0, max_velocity: parameters.cells_per_step(low + share * (high - low)) }
        });
        Self::with_cars(roads, parameters, &cars.collect::<Vec<_>>())
    }

    /// Cars at given starts.
    pub(crate) fn with_cars(roads: Roads, parameters: &Parameters, cars: &[Start]) -> Result<Self, TrafficError> {
        let path: u64 = cars.iter().map(|car| u64::from(car.max_velocity)).sum();
        let bytes = PER_CELL * roads.cells() as u64 + PER_CAR * cars.len() as u64 + PER_PATH_CELL * path;
        room(roads.cells(), cars.len(), bytes)?;
        let mut world = Simulation::new();
        let clock = world.clocks.push(Clock { step: 0 })?;
        add_roads(&mut world, &roads)?;
        add_controllers(&mut world, &roads, parameters)?;
        let cells: Vec<Link<Cell>> = world.cells.links().collect();
        world.cars.extend(cars.iter().map(|&Start { cell, velocity, max_velocity }| {
            let cell = cells[cell as usize];
            let path = (0..max_velocity).map(|_| cell).collect();
            Car { cell, velocity, max_velocity, target: cell, path }
        }))?;
        for &Start { cell, .. } in cars {
            world.get(cells[cell as usize]).take();
        }
        Ok(Self { world, roads, parameters: parameters.clone(), clock, recordings: Vec::new(), before: None })
    }

    /// Runs some steps. Except on a cluster, they are recorded once for each place and replayed: on a GPU the host does not
    /// wait between them.
    ///
    /// # Errors
    ///
    /// The errors of the place.
    pub fn step(&mut self, place: Place, steps: u32) -> Result<(), ikra::Error> {
        if self.recordings.first().is_some_and(|(_, recording)| recording.place() != place) {
            self.recordings.clear();
        }
        if place == Place::Cluster {
            let (clock, rules) = (self.clock, self.rules());
            return several_steps(&mut self.world.on(place), clock, steps, rules);
        }
        let mut left = steps;
        for batch in BATCHES {
            for _ in 0..left / batch {
                let known = self.recordings.iter().position(|&(size, _)| size == batch);
                let n = match known {
                    Some(n) => n,
                    None => {
                        self.record(place, batch)?;
                        self.recordings.len() - 1
                    }
                };
                self.world.on(place).replay(&self.recordings[n].1)?;
            }
            left %= batch;
        }
        Ok(())
    }

    fn record(&mut self, place: Place, steps: u32) -> Result<(), ikra::Error> {
        let (clock, rules) = (self.clock, self.rules());
        let recording = self.world.on(place).record(|world| several_steps(world, clock, steps, rules))?;
        self.recordings.push((steps, recording));
        Ok(())
    }

    /// The values that all cars share.
    pub(crate) fn rules(&self) -> Rules {
        Rules {
            seed: self.parameters.seed,
            randomisation: self.parameters.randomisation,
            cells: self.roads.cells() as u32,
        }
    }

    /// The number of completed steps.
    #[must_use]
    pub fn steps(&self) -> u32 {
        self.world.clocks.column(clock::step)[0]
    }

    /// Statistics of all cars after the last step: the same bits at any place.
    ///
    /// # Errors
    ///
    /// The errors of the place.
    pub fn statistics(&mut self, place: Place) -> Result<Statistics, ikra::Error> {
        let step = self.steps();
        let (cars, cells) = (self.world.cars.len() as f64, self.roads.cells() as f64);
        let mut world = self.world.on(place);
        let sum = world.execute_and_reduce(Car::speed, (), Sum)? as f64;
        let squares = world.execute_and_reduce(Car::speed_squared, (), Sum)? as f64;
        let stopped = world.execute_and_reduce(Car::stopped, (), Sum)? as f64;
        let density = cars / cells;
        if cars == 0.0 {
            return Ok(Statistics { step, ..Statistics::default() });
        }
        let mean_velocity = sum / cars;
        Ok(Statistics {
            step,
            cars: cars as u32,
            mean_velocity,
            deviation: (squares / cars - mean_velocity * mean_velocity).max(0.0).sqrt(),
            stopped: stopped / cars,
            density,
            flow: density * mean_velocity,
        })
    }

    /// All cars, by their number.
    pub fn cars(&self) -> impl ExactSizeIterator<Item = CarState> {
        let cars = &self.world.cars;
        let states = cars.column(car::cell).iter().zip(cars.column(car::velocity)).zip(cars.column(car::max_velocity));
        states.map(|((cell, &velocity), &max_velocity)| {
            let (street, metres) = self.roads.place(cell.index() as u32);
            CarState { street, metres, velocity, max_velocity }
        })
    }

    /// The lights and signs at junctions, junction by junction.
    pub fn lights(&self) -> impl Iterator<Item = LightState> {
        let step = self.steps();
        let green = self.green();
        self.roads.controllers.iter().flat_map(move |controls| {
            let groups = controls.first..controls.first + controls.count;
            let green: Vec<bool> = groups.clone().map(|group| green[group as usize] == step && step > 0).collect();
            groups.zip(green).map(|(group, is_green)| LightState {
                junction: controls.junction,
                street: self.roads.group_streets[group as usize],
                is_light: controls.kind != Kind::Yield,
                is_green,
            })
        })
    }

    /// The last step in which each group was green.
    pub(crate) fn green(&self) -> Vec<u32> {
        self.world.groups.copy_column(shared_signal_group::green_at)
    }

    /// The roads.
    #[must_use]
    pub fn roads(&self) -> &Roads {
        &self.roads
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// The world, to inspect its layout or to run kernels on it.
    pub fn world(&mut self) -> &mut Simulation {
        &mut self.world
    }
}

/// Records a step, `k` steps after the clock's.
fn several_steps(
    world: &mut On<'_, Simulation>,
    clock: Link<Clock>,
    steps: u32,
    rules: Rules,
) -> Result<(), ikra::Error> {
    (1..=steps).try_for_each(|k| one_step(world, clock, k, rules))?;
    world.execute(Clock::advance, steps)
}

fn one_step(world: &mut On<'_, Simulation>, clock: Link<Clock>, k: u32, rules: Rules) -> Result<(), ikra::Error> {
    world.execute(SharedSignalGroup::look, ())?;
    world.execute(Controller::control, (clock, k))?;
    world.execute(Car::plan, (clock, k, rules))?;
    world.execute(Car::drive, ())
}

/// Checks that this many bytes are free.
pub(crate) fn room(cells: usize, cars: usize, bytes: u64) -> Result<(), TrafficError> {
    room_for(bytes).map_err(|memory| TrafficError::NoMemory { cells, cars, memory })
}

/// Distinct cells for all cars, in ascending order.
fn starts(roads: &Roads, parameters: &Parameters) -> Result<Vec<u32>, TrafficError> {
    let (cars, cells) = (parameters.cars, roads.cells());
    if cars as usize > cells {
        return Err(TrafficError::TooManyCars { cars, cells });
    }
    room(cells, cars as usize, (size_of::<u32>() + size_of::<Start>()) as u64 * u64::from(cars))?;
    // Visits the cells in order, and takes each with the probability that yields the required number (Knuth's algorithm
    // S).
    let mut random = Random::new(parameters.seed, 0, START);
    let mut starts = Vec::with_capacity(cars as usize);
    for cell in 0..cells as u32 {
        if random.below(cells as u32 - cell) < cars - starts.len() as u32 {
            starts.push(cell);
        }
    }
    Ok(starts)
}

/// Links to objects, given their numbers.
fn links<C: ikra::Class>(numbers: &[u32]) -> Vec<Link<C>> {
    numbers.iter().filter_map(|&number| Link::from_index(number as usize)).collect()
}

fn add_roads(world: &mut Simulation, roads: &Roads) -> Result<(), ikra::Error> {
    let groups = (0..roads.groups.len()).map(|_| SharedSignalGroup {
        green_at: 0,
        has_traffic: false,
        cells: InnerArray::new(),
    });
    let groups: Vec<Link<SharedSignalGroup>> = world.groups.extend(groups)?.collect();
    let lights = roads.lights();
    let incoming = roads.outgoing.reversed(roads.cells());
    let leads_on = |n: usize| *roads.outgoing.row(n) == [n as u32 + 1];
    let mut ahead = vec![0_u8; roads.cells()];
    for n in (0..roads.cells()).rev().filter(|&n| leads_on(n) && roads.limits[n] == roads.limits[n + 1]) {
        ahead[n] = if lights[n + 1] == NO_LIGHT { ahead[n + 1].saturating_add(1) } else { 1 };
    }
    let mut behind = 0_u8;
    world.cells.extend((0..roads.cells()).map(|n| {
        let is_reached = n > 0 && leads_on(n - 1) && incoming.row(n).len() == 1;
        behind = if is_reached { behind.saturating_add(1) } else { 0 };
        let sign = Sign { max_velocity: roads.limits[n], has_light: lights[n] != NO_LIGHT, ahead: ahead[n], behind };
        let light = groups.get(lights[n] as usize).copied();
        let (outgoing, incoming) = (InnerArray::new(), InnerArray::new());
        Cell { sign, weight: roads.weights[n], light, outgoing, incoming, claim: 0 }
    }))?;
    world.stretches.extend((0..roads.cells().div_ceil(Stretch::CELLS as usize)).map(|_| Stretch { taken: 0 }))?;
    world.cells.set_arrays(cell::outgoing, &roads.outgoing.offsets, &links(&roads.outgoing.values))?;
    world.cells.set_arrays(cell::incoming, &incoming.offsets, &links(&incoming.values))?;
    world.groups.set_arrays(shared_signal_group::cells, &roads.groups.offsets, &links(&roads.groups.values))
}

fn add_controllers(world: &mut Simulation, roads: &Roads, parameters: &Parameters) -> Result<(), ikra::Error> {
    let phase_length = parameters.phase_length.max(1);
    let of = |kind| {
        let mut rows = Rows::new();
        for controls in roads.controllers.iter().filter(|controls| controls.kind == kind) {
            rows.push(controls.first..controls.first + controls.count);
        }
        rows
    };
    let start = |n: usize, rows: &Rows| {
        // Not all at the same time.
        let mut random = Random::new(parameters.seed, n as u32, START - 2);
        (random.below(rows.row(n).len() as u32), random.below(phase_length))
    };
    let rows = of(Kind::Light);
    world.traffic_lights.extend((0..rows.len()).map(|n| {
        let (phase, timer) = start(n, &rows);
        TrafficLight { phase_length, phase, timer, groups: InnerArray::new() }
    }))?;
    world.traffic_lights.set_arrays(traffic_light::groups, &rows.offsets, &links(&rows.values))?;
    let rows = of(Kind::Smart);
    world.smart_traffic_lights.extend((0..rows.len()).map(|n| {
        let (phase, timer) = start(n, &rows);
        SmartTrafficLight { phase_length, phase, timer, groups: InnerArray::new() }
    }))?;
    world.smart_traffic_lights.set_arrays(smart_traffic_light::groups, &rows.offsets, &links(&rows.values))?;
    let rows = of(Kind::Yield);
    world.yield_controllers.extend((0..rows.len()).map(|_| YieldController { groups: InnerArray::new() }))?;
    world.yield_controllers.set_arrays(yield_controller::groups, &rows.offsets, &links(&rows.values))
}
