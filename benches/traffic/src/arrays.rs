//! INNER Fig. 11: the model with its arrays in other layouts.

use std::time::{Duration, Instant};

use ikra::Place;
use ikra::prelude::*;

use crate::baselines::{Start, State};
use crate::layouts;

/// Steps that are not timed.
const WARM_UP: u32 = 8;

/// A bar of the figure.
pub(crate) struct Bar {
    pub(crate) layout: &'static str,
    /// The figure's letter; `x` where all arrays are inlined, which is a bar of each.
    pub(crate) figure: char,
    pub(crate) array: &'static str,
    pub(crate) slots: u32,
    /// Time of the kernels of cars and of controllers.
    pub(crate) cars: Duration,
    pub(crate) controllers: Duration,
    /// Bytes of each class: its name, in columns or objects, in the arena.
    pub(crate) memory: Vec<(&'static str, usize, usize)>,
    pub(crate) state: State,
}

/// Links to objects by their numbers.
fn links<C: ikra::Class>(numbers: &[u32]) -> Vec<Link<C>> {
    numbers.iter().filter_map(|&number| Link::from_index(number as usize)).collect()
}

/// Does some steps with each layout, and times them.
pub(crate) fn run(start: &Start, place: Place, steps: u32, mut show: impl FnMut(Bar)) -> Result<(), ikra::Error> {
    macro_rules! one {
        ($module:ident, $layout:literal, $figure:literal, $array:literal, $slots:literal) => {
            show(Bar {
                layout: $layout,
                figure: $figure,
                array: $array,
                slots: $slots,
                ..$module(start, place, steps)?
            });
        };
    }
    layouts::for_each_layout!(one);
    Ok(())
}

macro_rules! function {
    ($module:ident, $layout:literal, $figure:literal, $array:literal, $slots:literal) => {
        fn $module(start: &Start, place: Place, steps: u32) -> Result<Bar, ikra::Error> {
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
            let mut taken = vec![0; start.limits.len().div_ceil(Stretch::CELLS)];
            start
                .car_cells
                .iter()
                .map(|&cell| cell as usize)
                .for_each(|cell| taken[cell / Stretch::CELLS] |= 1 << (cell % Stretch::CELLS));
            world.stretches.extend(taken.into_iter().map(|taken| Stretch { taken }))?;
            world.cells.extend((0..start.limits.len()).map(|n| {
                let traffic::model::Sign { max_velocity, has_light, leads_on, behind } = start.signs[n];
                Cell {
                    sign: Sign { max_velocity, has_light, leads_on, behind },
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
                Some(Car { cell, velocity: 0, max_velocity, path: (0..max_velocity).map(|_| cell).collect() })
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
            let mut times = [Duration::ZERO; 2];
            for k in 1..=WARM_UP + steps {
                if k == WARM_UP + 1 && place != Place::Host {
                    world.cuda_time_kernels(true)?;
                }
                let mut world = world.on(place);
                let begin = Instant::now();
                world.execute(SharedSignalGroup::look, ())?;
                world.execute(Controller::control, (clock, k))?;
                let middle = Instant::now();
                world.execute(Car::plan, (clock, k, rules))?;
                world.execute(Car::drive, ())?;
                if k > WARM_UP {
                    times = [times[0] + middle.elapsed(), times[1] + (middle - begin)];
                }
            }
            if place != Place::Host {
                times = [Duration::ZERO; 2];
                for kernel in world.device_stats().kernels {
                    times[usize::from(!kernel.kernel.starts_with("Car"))] += kernel.time;
                }
            }
            let state = State {
                cells: world.cars.copy_column(car::cell).iter().map(|cell| cell.index() as u32).collect(),
                velocities: world.cars.copy_column(car::velocity),
                green: world.groups.copy_column(shared_signal_group::green_at),
            };
            let classes = world.layout().classes;
            let memory = classes.iter().map(|class| (class.class, class.inlined_bytes(), class.arena_bytes)).collect();
            let [cars, controllers] = times;
            Ok(Bar { layout: "", figure: 'x', array: "", slots: 0, cars, controllers, memory, state })
        }
    };
}
layouts::for_each_layout!(function);
