//! INNER Fig. 11: the model with its arrays in other layouts.

use std::time::{Duration, Instant};

use ikra::Place;
use ikra::prelude::*;
use rayon::prelude::*;

use crate::baselines::{Start, State};
use crate::layouts;

/// A bar of the figure.
pub(crate) struct Bar {
    pub(crate) layout: &'static str,
    /// The figure's letter; `x` where all arrays are inlined, which is a bar of each.
    pub(crate) figure: char,
    pub(crate) array: &'static str,
    /// Elements in columns; `array` and `object` are arrays of fixed length, with a column for each element or one for all.
    pub(crate) inlined: &'static str,
    /// For each round, seconds per step of the kernels of cars and of controllers.
    pub(crate) times: [Vec<f64>; 2],
    world: Box<dyn Steps>,
}

/// A world with its arrays in some layout.
pub(crate) trait Steps: Send {
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
    let mut makers: Vec<fn(&Start, Place) -> Result<Bar, ikra::Error>> = Vec::new();
    macro_rules! one {
        ($module:ident, $layout:literal, $figure:literal, $array:literal, $inlined:literal, $($rest:tt)*) => {
            if stringify!($module).starts_with(only) {
                makers.push(|start, place| {
                    Ok(Bar {
                        layout: $layout,
                        figure: $figure,
                        array: $array,
                        inlined: $inlined,
                        times: Default::default(),
                        world: $module(start, place)?,
                    })
                });
            }
        };
    }
    layouts::for_each_layout!(one);
    let mut bars = makers.par_iter().map(|make| make(start, place)).collect::<Result<Vec<Bar>, _>>()?;
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

/// An array of any length, or of a fixed one.
trait Array<T> {
    /// So many copies of a value, or as many as it has.
    fn of(value: T, len: u32) -> Self;
}

impl<T: Value> Array<T> for InnerArray<T> {
    fn of(value: T, len: u32) -> Self {
        (0..len).map(|_| value).collect()
    }
}

impl<T: Value, const N: usize> Array<T> for [T; N] {
    fn of(value: T, _: u32) -> Self {
        [value; N]
    }
}

/// Fills the arrays of all objects of a class: `any` length, or a `fixed` one, beside which there is a field for the length.
macro_rules! fill {
    (any, $objects:expr, $($class:ident)::+, $field:ident, [$($length:ident)?], $rows:expr) => {
        $objects.set_arrays($($class)::+::$field, &$rows.offsets, &links(&$rows.values))?;
    };
    (fixed, $objects:expr, $($class:ident)::+, $field:ident, [$length:ident], $rows:expr) => {
        for (link, ends) in $objects.links().zip($rows.offsets.windows(2)) {
            let values = links(&$rows.values[ends[0] as usize..ends[1] as usize]);
            let mut row = $objects.read(link)?;
            row.$field[..values.len()].copy_from_slice(&values);
            row.$length = values.len() as u32;
            $objects.write(link, row)?;
        }
    };
}

macro_rules! function {
    (
        $module:ident, $layout:literal, $figure:literal, $array:literal, $inlined:literal,
        $outgoing:ident $incoming:ident $path:ident $smart:ident $yield:ident $group:ident,
        [$($cell_len:ident)?] [$($smart_len:ident)?] [$($yield_len:ident)?] [$($group_len:ident)?]
    ) => {
        fn $module(start: &Start, place: Place) -> Result<Box<dyn Steps>, ikra::Error> {
            use layouts::$module::{
                Car, Cell, Clock, Controller, Rules, SharedSignalGroup, Sign, Simulation, SmartTrafficLight, Stretch,
                TrafficLight, YieldController, car, shared_signal_group,
            };
            let mut world = Simulation::new();
            let clock = world.clocks.push(Clock { step: 0 })?;
            let [outgoing, incoming, group_cells, light_groups, smart_groups, yield_groups] = &start.rows;
            // Objects with arrays of fixed length have links from the beginning.
            let (cell, group) = (links(&[0])[0], links(&[0])[0]);
            let new_groups = (0..group_cells.len()).map(|_| SharedSignalGroup {
                green_at: 0,
                has_traffic: false,
                cells: Array::of(cell, 0),
                $($group_len: 0,)?
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
                    outgoing: Array::of(cell, 0),
                    incoming: Array::of(cell, 0),
                    claim: 0,
                    $($cell_len: 0,)?
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
                groups: Array::of(group, 0),
                $($smart_len: 0,)?
            }))?;
            let new_yields =
                (0..yield_groups.len()).map(|_| YieldController { groups: Array::of(group, 0), $($yield_len: 0,)? });
            world.yield_controllers.extend(new_yields)?;
            let cars = start.car_cells.iter().zip(&start.car_limits);
            world.cars.extend(cars.filter_map(|(&cell, &max_velocity)| {
                let cell = Link::from_index(cell as usize)?;
                Some(Car {
                    cell,
                    velocity: 0,
                    max_velocity,
                    target: cell,
                    path: Array::of(cell, max_velocity),
                })
            }))?;
            fill!($outgoing, world.cells, layouts::$module::cell, outgoing, [$($cell_len)?], outgoing);
            fill!($incoming, world.cells, layouts::$module::cell, incoming, [$($cell_len)?], incoming);
            fill!($group, world.groups, layouts::$module::shared_signal_group, cells, [$($group_len)?], group_cells);
            fill!(any, world.traffic_lights, layouts::$module::traffic_light, groups, [], light_groups);
            fill!($smart, world.smart_traffic_lights, layouts::$module::smart_traffic_light, groups, [$($smart_len)?], smart_groups);
            fill!($yield, world.yield_controllers, layouts::$module::yield_controller, groups, [$($yield_len)?], yield_groups);

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
                        for kernel in world.cuda().stats().kernels {
                            all[usize::from(!kernel.kernel.starts_with("Car"))] += kernel.time;
                        }
                        times = [all[0] - before[0], all[1] - before[1]];
                        *before = all;
                        // From the second round on.
                        world.cuda().time_kernels(true)?;
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
                    let classes = ikra::report::WorldLayout::of(&self.0).classes;
                    classes.iter().map(|class| (class.class, class.inlined_bytes(), class.arena_bytes)).collect()
                }
            }
            Ok(Box::new(Made(world, clock, rules, place, [Duration::ZERO; 2])))
        }
    };
}
layouts::for_each_layout!(function);
