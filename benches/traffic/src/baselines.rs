//! The hand-written CUDA of `benches/cuda/traffic.cu`.
#![allow(unsafe_code, reason = "calls of a C library")]

use std::error::Error;

use ikra::prelude::*;
use traffic::Traffic;
use traffic::model::{Sign, Simulation, car, cell, clock, shared_signal_group, smart_traffic_light, traffic_light};

/// What stands for no group.
const NONE: u32 = u32::MAX;

/// The library.
pub(crate) struct Baselines(ikra_baselines::Baselines);

/// Which of its programs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Version {
    /// The same passes over the same columns as Ikra's.
    Same,
    /// Packed.
    Best,
}

/// All that a run changes and that can be compared: cell and velocity of each car, the last step in which each group was
/// green.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct State {
    pub(crate) cells: Vec<u32>,
    pub(crate) velocities: Vec<u32>,
    pub(crate) green: Vec<u32>,
}

impl State {
    /// That of a world.
    pub(crate) fn of(traffic: &mut Traffic) -> Self {
        let world = traffic.world();
        Self {
            cells: world.cars.column(car::cell).iter().map(|cell| cell.index() as u32).collect(),
            velocities: world.cars.copy_column(car::velocity),
            green: world.groups.copy_column(shared_signal_group::green_at),
        }
    }
}

/// What a version took.
#[derive(Debug)]
pub(crate) struct Measured {
    /// Nanoseconds for 1,000 steps.
    pub(crate) time: f64,
    /// Of device memory.
    pub(crate) bytes: u64,
    pub(crate) state: State,
}

/// Rows of numbers, one after another.
pub(crate) struct Rows {
    pub(crate) offsets: Vec<u32>,
    pub(crate) values: Vec<u32>,
}

/// As the library sees them: `TrafficRows`.
#[repr(C)]
struct RawRows {
    offsets: *const u32,
    values: *const u32,
}

/// `TrafficWorld`.
#[repr(C)]
pub(crate) struct RawWorld {
    cells: u32,
    groups: u32,
    lights: u32,
    smart: u32,
    yields: u32,
    cars: u32,
    phase_length: u32,
    randomisation: f32,
    seed: u64,
    limits: *const u8,
    weights: *const u16,
    signals: *const u32,
    outgoing: RawRows,
    incoming: RawRows,
    group_cells: RawRows,
    light_groups: RawRows,
    smart_groups: RawRows,
    yield_groups: RawRows,
    light_phases: *const u32,
    light_timers: *const u32,
    smart_phases: *const u32,
    smart_timers: *const u32,
    car_cells: *const u32,
    car_limits: *const u32,
}

/// `TrafficResult`.
#[repr(C)]
pub(crate) struct RawResult {
    cells: *mut u32,
    velocities: *mut u32,
    green: *mut u32,
    bytes: u64,
}

impl Rows {
    fn of<T>(rows: impl Iterator<Item = T>, mut push: impl FnMut(T, &mut Vec<u32>)) -> Self {
        let (mut offsets, mut values) = (vec![0], Vec::new());
        for row in rows {
            push(row, &mut values);
            offsets.push(values.len() as u32);
        }
        Self { offsets, values }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.offsets.len() - 1
    }

    fn raw(&self) -> RawRows {
        RawRows { offsets: self.offsets.as_ptr(), values: self.values.as_ptr() }
    }
}

/// What a run begins with, in the form that the library takes.
pub(crate) struct Start {
    pub(crate) parameters: traffic::Parameters,
    pub(crate) signs: Vec<Sign>,
    pub(crate) limits: Vec<u8>,
    pub(crate) weights: Vec<u16>,
    pub(crate) signals: Vec<u32>,
    /// Of cells, cells, groups, and the three classes of controllers.
    pub(crate) rows: [Rows; 6],
    pub(crate) phases: [Vec<u32>; 4],
    pub(crate) car_cells: Vec<u32>,
    pub(crate) car_limits: Vec<u32>,
}

impl Start {
    /// Traffic that has done no step.
    pub(crate) fn of(traffic: &mut Traffic) -> Self {
        let parameters = traffic.parameters().clone();
        let world = traffic.world();
        assert_eq!(world.clocks.column(clock::step)[0], 0);
        let world: &Simulation = world;
        macro_rules! rows {
            ($objects:ident, $arrays:ident) => {
                Rows::of(world.$objects.links(), |link, values| {
                    values.extend(world.get(link).$arrays().iter().map(|object| object.link().index() as u32));
                })
            };
        }
        let rows = [
            rows!(cells, outgoing),
            rows!(cells, incoming),
            rows!(groups, cells),
            rows!(traffic_lights, groups),
            rows!(smart_traffic_lights, groups),
            rows!(yield_controllers, groups),
        ];
        let (lights, smart) = (&world.traffic_lights, &world.smart_traffic_lights);
        let signs = world.cells.column(cell::sign);
        let lit = world.cells.column(cell::light).iter();
        Self {
            signs: signs.to_vec(),
            limits: signs.iter().map(|sign| sign.max_velocity).collect(),
            weights: world.cells.column(cell::weight).to_vec(),
            signals: lit.map(|light| light.map_or(NONE, |group| group.index() as u32)).collect(),
            rows,
            phases: [
                lights.column(traffic_light::phase).to_vec(),
                lights.column(traffic_light::timer).to_vec(),
                smart.column(smart_traffic_light::phase).to_vec(),
                smart.column(smart_traffic_light::timer).to_vec(),
            ],
            car_cells: world.cars.column(car::cell).iter().map(|cell| cell.index() as u32).collect(),
            car_limits: world.cars.column(car::max_velocity).to_vec(),
            parameters,
        }
    }
}

impl Baselines {
    /// Opens it.
    pub(crate) fn open(path: &str) -> Result<Self, Box<dyn Error>> {
        Ok(Self(ikra_baselines::Baselines::open(path)?))
    }

    /// Does 72 steps, and then `samples` times 1,000.
    pub(crate) fn run(&self, version: Version, samples: u32, start: &Start) -> Measured {
        type Function = unsafe extern "C" fn(u32, u32, *const RawWorld, *mut RawResult) -> f64;
        with_world(start, |world, result| {
            // SAFETY: both are of the types of benches/cuda/traffic.cuh, and as large as they say, by `with_world`.
            let call = |f: &Function| unsafe { f(version as u32, samples, world, result) };
            // SAFETY: the function of this name has that type.
            unsafe { self.0.call("traffic", call) }
        })
    }
}

/// Calls `run` with what a run begins with and ends with. All columns of the world have as many elements as it says: a world's
/// columns of a class are of one length, rows have an offset more than there are objects and end with the number of values,
/// which are numbers of cells and groups. The result has room for each car and group.
pub(crate) fn with_world(start: &Start, run: impl FnOnce(*const RawWorld, *mut RawResult) -> f64) -> Measured {
    let (cars, groups) = (start.car_cells.len(), start.rows[2].len());
    let count = |rows: &Rows| rows.len() as u32;
    let [outgoing, incoming, group_cells, light_groups, smart_groups, yield_groups] = &start.rows;
    let [light_phases, light_timers, smart_phases, smart_timers] =
        start.phases.each_ref().map(|phases| phases.as_ptr());
    let world = RawWorld {
        cells: count(outgoing),
        groups: count(group_cells),
        lights: count(light_groups),
        smart: count(smart_groups),
        yields: count(yield_groups),
        cars: cars as u32,
        phase_length: start.parameters.phase_length,
        randomisation: start.parameters.randomisation,
        seed: start.parameters.seed,
        limits: start.limits.as_ptr(),
        weights: start.weights.as_ptr(),
        signals: start.signals.as_ptr(),
        outgoing: outgoing.raw(),
        incoming: incoming.raw(),
        group_cells: group_cells.raw(),
        light_groups: light_groups.raw(),
        smart_groups: smart_groups.raw(),
        yield_groups: yield_groups.raw(),
        light_phases,
        light_timers,
        smart_phases,
        smart_timers,
        car_cells: start.car_cells.as_ptr(),
        car_limits: start.car_limits.as_ptr(),
    };
    let mut state = State { cells: vec![0; cars], velocities: vec![0; cars], green: vec![0; groups] };
    let mut result = RawResult {
        cells: state.cells.as_mut_ptr(),
        velocities: state.velocities.as_mut_ptr(),
        green: state.green.as_mut_ptr(),
        bytes: 0,
    };
    let time = run(&raw const world, &raw mut result);
    Measured { time, bytes: result.bytes, state }
}
