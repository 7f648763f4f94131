//! INNER Fig. 11: the model with its arrays in other layouts.

use std::time::{Duration, Instant};

use ikra::Place;
use ikra::prelude::*;

use crate::baselines::{Start, State};
use crate::layouts;

/// A bar of the figure.
pub(crate) struct Bar {
    pub(crate) layout: &'static str,
    /// The figure's letter; `x` where all arrays are inlined, which is a bar of each.
    pub(crate) figure: char,
    pub(crate) array: &'static str,
    pub(crate) slots: u32,
    /// For each round, seconds per step of the kernels of cars and of controllers.
    pub(crate) times: [Vec<f64>; 2],
    world: Box<dyn Steps>,
}

/// A world with its arrays in some layout.
pub(crate) trait Steps {
    /// Does steps after so many, and returns the time of the kernels of cars and of controllers.
    fn steps(&mut self, done: u32, steps: u32) -> Result<[Duration; 2], ikra::Error>;
    fn state(&self) -> State;
    /// Bytes of each class: its name, in columns or objects, in the arena.
    fn memory(&self) -> Vec<(&'static str, usize, usize)>;
}

impl Bar {
    pub(crate) fn state(&self) -> State {
        self.world.state()
    }

    /// Bytes of its class, or of all: in columns or objects, in the arena.
    pub(crate) fn memory(&self) -> (usize, usize) {
        let class = self.array.split("::").next().unwrap_or_default();
        let classes = self.world.memory().into_iter().filter(|memory| memory.0 == class || self.figure == 'x');
        classes.fold((0, 0), |sum, memory| (sum.0 + memory.1, sum.1 + memory.2))
    }
}

/// Links to objects by their numbers.
fn links<C: ikra::Class>(numbers: &[u32]) -> Vec<Link<C>> {
    numbers.iter().filter_map(|&number| Link::from_index(number as usize)).collect()
}

/// Does some steps with each layout whose name begins so, in turn, and again, so that what else the machine does meets all
/// alike. The first round is not counted.
pub(crate) fn run(start: &Start, place: Place, only: &str, rounds: u32, steps: u32) -> Result<Vec<Bar>, ikra::Error> {
    let mut bars = Vec::new();
    macro_rules! one {
        ($module:ident, $layout:literal, $figure:literal, $array:literal, $slots:literal) => {
            if stringify!($module).starts_with(only) {
                bars.push(Bar {
                    layout: $layout,
                    figure: $figure,
                    array: $array,
                    slots: $slots,
                    times: Default::default(),
                    world: $module(start, place)?,
                });
            }
        };
    }
    layouts::for_each_layout!(one);
    for round in 0..=rounds {
        for bar in &mut bars {
            let times = bar.world.steps(round * steps, steps)?;
            for (all, time) in bar.times.iter_mut().zip(times).filter(|_| round > 0) {
                all.push(time.as_secs_f64() / f64::from(steps));
            }
        }
    }
    Ok(bars)
}

macro_rules! function {
    ($module:ident, $layout:literal, $figure:literal, $array:literal, $slots:literal) => {
        fn $module(start: &Start, place: Place) -> Result<Box<dyn Steps>, ikra::Error> {
            use layouts::$module::{
                Car, Cell, Clock, Controller, Rules, SharedSignalGroup, Sign, Simulation, SmartTrafficLight, Stretch,
                TrafficLight, YieldController, car, cell, shared_signal_group, smart_traffic_light, traffic_light,
                yield_controller,
            };
            let mut world = Simulation::new();
            let clock = world.clocks.push(Clock { step: 0 })?;
            let [outgoing, incoming, group_cells, light_groups, smart_groups, yield_groups] = &start.rows;
            let new_groups = (0..group_cells.len()).map(|_| SharedSignalGroup {
                green_at: 0,
                has_traffic: false,
                cells: InnerArray::new(),
            });
            world.groups.extend(new_groups)?;
            let mut taken = vec![0; start.limits.len().div_ceil(Stretch::CELLS as usize)];
            start
                .car_cells
                .iter()
                .for_each(|&cell| taken[(cell / Stretch::CELLS) as usize] |= 1 << (cell % Stretch::CELLS));
            world.stretches.extend(taken.into_iter().map(|taken| Stretch { taken }))?;
            world.cells.extend((0..start.limits.len()).map(|n| {
                let traffic::model::Sign { max_velocity, has_light, ahead, behind } = start.signs[n];
                Cell {
                    sign: Sign { max_velocity, has_light, ahead, behind },
                    weight: start.weights[n],
                    light: Link::from_index(start.signals[n] as usize).filter(|_| has_light),
                    outgoing: InnerArray::new(),
                    incoming: InnerArray::new(),
                    claim: 0,
                }
            }))?;
            let phase_length = start.parameters.phase_length;
            let [light_phases, light_timers, smart_phases, smart_timers] = &start.phases;
            let lights = light_phases.iter().zip(light_timers);
            world.traffic_lights.extend(lights.map(|(&phase, &timer)| TrafficLight {
                phase_length,
                phase,
                timer,
                groups: InnerArray::new(),
            }))?;
            let lights = smart_phases.iter().zip(smart_timers);
            world.smart_traffic_lights.extend(lights.map(|(&phase, &timer)| SmartTrafficLight {
                phase_length,
                phase,
                timer,
                groups: InnerArray::new(),
            }))?;
            world
                .yield_controllers
                .extend((0..yield_groups.len()).map(|_| YieldController { groups: InnerArray::new() }))?;
            let cars = start.car_cells.iter().zip(&start.car_limits);
            world.cars.extend(cars.filter_map(|(&cell, &max_velocity)| {
                let cell = Link::from_index(cell as usize)?;
                Some(Car {
                    cell,
                    velocity: 0,
                    max_velocity,
                    target: cell,
                    path: (0..max_velocity).map(|_| cell).collect(),
                })
            }))?;
            world.cells.set_arrays(cell::outgoing, &outgoing.offsets, &links(&outgoing.values))?;
            world.cells.set_arrays(cell::incoming, &incoming.offsets, &links(&incoming.values))?;
            world.groups.set_arrays(shared_signal_group::cells, &group_cells.offsets, &links(&group_cells.values))?;
            world.traffic_lights.set_arrays(
                traffic_light::groups,
                &light_groups.offsets,
                &links(&light_groups.values),
            )?;
            let values = links(&smart_groups.values);
            world.smart_traffic_lights.set_arrays(smart_traffic_light::groups, &smart_groups.offsets, &values)?;
            let values = links(&yield_groups.values);
            world.yield_controllers.set_arrays(yield_controller::groups, &yield_groups.offsets, &values)?;

            let rules = Rules {
                seed: start.parameters.seed,
                randomisation: start.parameters.randomisation,
                cells: start.limits.len() as u32,
            };
            /// The world, where it runs, and the time of kernels so far.
            struct Made(Simulation, Link<Clock>, Rules, Place, [Duration; 2]);
            impl Steps for Made {
                fn steps(&mut self, done: u32, steps: u32) -> Result<[Duration; 2], ikra::Error> {
                    let Self(world, clock, rules, place, before) = self;
                    let mut times = [Duration::ZERO; 2];
                    for k in done + 1..=done + steps {
                        let mut world = world.on(*place);
                        let begin = Instant::now();
                        world.execute(SharedSignalGroup::look, ())?;
                        world.execute(Controller::control, (*clock, k))?;
                        let middle = Instant::now();
                        world.execute(Car::plan, (*clock, k, *rules))?;
                        world.execute(Car::drive, ())?;
                        times = [times[0] + middle.elapsed(), times[1] + (middle - begin)];
                    }
                    if *place != Place::Host {
                        let mut all = [Duration::ZERO; 2];
                        for kernel in world.device_stats().kernels {
                            all[usize::from(!kernel.kernel.starts_with("Car"))] += kernel.time;
                        }
                        times = [all[0] - before[0], all[1] - before[1]];
                        *before = all;
                        // From the second round on.
                        world.cuda_time_kernels(true)?;
                    }
                    Ok(times)
                }

                fn state(&self) -> State {
                    let world = &self.0;
                    State {
                        cells: world.cars.copy_column(car::cell).iter().map(|cell| cell.index() as u32).collect(),
                        velocities: world.cars.copy_column(car::velocity),
                        green: world.groups.copy_column(shared_signal_group::green_at),
                    }
                }

                fn memory(&self) -> Vec<(&'static str, usize, usize)> {
                    let classes = self.0.layout().classes;
                    classes.iter().map(|class| (class.class, class.inlined_bytes(), class.arena_bytes)).collect()
                }
            }
            Ok(Box::new(Made(world, clock, rules, place, [Duration::ZERO; 2])))
        }
    };
}
layouts::for_each_layout!(function);
