//! Known solutions, and each rule at a small junction, with cars in chosen cells.

use ikra::Place;
use ikra::prelude::*;
use proptest::prelude::*;
use streets::{Builder, City, Class, Control, Coordinates, Network, Traits};

use crate::model::car;
use crate::traffic::Start;
use crate::{Lights, Parameters, Roads, Traffic};

/// Without dawdling.
fn calm() -> Parameters {
    Parameters { cars: 0, randomisation: 0.0, ..Parameters::default() }
}

fn start(cell: u32, max_velocity: u32) -> Start {
    Start { cell, velocity: 0, max_velocity }
}

/// Cars at given cells.
fn with_cars(roads: &Roads, parameters: &Parameters, cars: &[Start]) -> Traffic {
    let parameters = Parameters { cars: cars.len() as u32, ..parameters.clone() };
    let mut traffic = Traffic::with_cars(roads.clone(), &parameters, cars).unwrap();
    traffic.check().unwrap();
    traffic
}

/// One step, followed by a check.
fn step(traffic: &mut Traffic) {
    traffic.step(Place::Host, 1).unwrap();
    traffic.check().unwrap();
}

fn places(traffic: &Traffic) -> Vec<u32> {
    traffic.world.cars.column(car::cell).iter().map(|cell| cell.index() as u32).collect()
}

#[test]
fn a_single_car_reaches_its_largest_velocity_and_keeps_it() {
    let roads = Roads::ring(1000, 7, 5.0).unwrap();
    let mut traffic = with_cars(&roads, &calm(), &[start(0, 7)]);
    let mut expected = 0;
    for t in 1..=500_u32 {
        step(&mut traffic);
        expected += t.min(7);
        assert_eq!(places(&traffic), [expected % 1000]);
        assert_eq!(traffic.cars().next().unwrap().velocity, t.min(7));
    }
}

#[test]
fn a_dawdling_car_loses_the_share_of_a_cell() {
    let parameters = Parameters { cars: 1, ..Parameters::default() };
    let mut traffic = Traffic::ring(100_000, 5, &parameters).unwrap();
    traffic.step(Place::Host, 10).unwrap();
    let begin = places(&traffic)[0];
    traffic.step(Place::Host, 10_000).unwrap();
    let cells = (places(&traffic)[0] + 100_000 - begin) % 100_000;
    // 5 − 0.2 cells per step, with a standard deviation of 0.4 in each.
    assert!((f64::from(cells) / 10_000.0 - 4.8).abs() < 0.02, "{cells}");
}

#[test]
fn a_jam_moves_backwards_by_a_cell_per_step() {
    // Without dawdling, one car leaves the jam per step; no car arrives from behind.
    let roads = Roads::ring(10_000, 5, 5.0).unwrap();
    let cars: Vec<Start> = (0..100).map(|n| start(500 + n, 5)).collect();
    let mut traffic = with_cars(&roads, &calm(), &cars);
    for t in 1..=100_usize {
        step(&mut traffic);
        let stopped = traffic.cars().take_while(|car| car.velocity == 0).count();
        assert_eq!(stopped, 100 - t);
        assert!(traffic.cars().skip(stopped).all(|car| car.velocity > 0));
    }
}

#[test]
fn without_dawdling_flow_follows_the_known_diagram() {
    // Nagel and Schreckenberg's deterministic limit: min(density · v, 1 − density).
    let (cells, most) = (1000, 5);
    for cars in [1, 50, 100, 160, 200, 333, 500, 800, 999, 1000] {
        let mut traffic = Traffic::ring(cells, most, &Parameters { cars, ..calm() }).unwrap();
        traffic.step(Place::Host, 2000).unwrap();
        traffic.check().unwrap();
        let density = f64::from(cars) / f64::from(cells);
        let expected = (density * f64::from(most)).min(1.0 - density);
        let mut flow = 0.0;
        for _ in 0..100 {
            traffic.step(Place::Host, 1).unwrap();
            flow += traffic.statistics(Place::Host).unwrap().flow / 100.0;
        }
        assert!((flow - expected).abs() < 1e-9, "{cars} cars: {flow}, not {expected}");
    }
}

#[test]
fn statistics_are_those_of_the_cars() {
    let mut traffic = Traffic::ring(500, 5, &Parameters { cars: 120, ..Parameters::default() }).unwrap();
    traffic.step(Place::Host, 77).unwrap();
    let statistics = traffic.statistics(Place::Host).unwrap();
    let velocities: Vec<f64> = traffic.cars().map(|car| f64::from(car.velocity)).collect();
    let mean = velocities.iter().sum::<f64>() / 120.0;
    let variance = velocities.iter().map(|velocity| (velocity - mean).powi(2)).sum::<f64>() / 120.0;
    assert_eq!((statistics.step, statistics.cars), (77, 120));
    assert!((statistics.mean_velocity - mean).abs() < 1e-12);
    assert!((statistics.deviation - variance.sqrt()).abs() < 1e-12);
    assert_eq!(statistics.stopped, velocities.iter().filter(|&&velocity| velocity == 0.0).count() as f64 / 120.0);
    assert!((statistics.density - 0.24).abs() < 1e-12 && (statistics.flow - 0.24 * mean).abs() < 1e-12);
    let mut empty = Traffic::ring(10, 5, &calm()).unwrap();
    step(&mut empty);
    assert_eq!(empty.statistics(Place::Host).unwrap().mean_velocity, 0.0);
}

/// A large street from the west and a small one from the south lead to the east, 20 cells each. The streets are
/// numbered in this order.
fn junction(control: Control) -> (Network, [u32; 3]) {
    let mut builder = Builder::new(Coordinates::Metres);
    let [west, south, middle, east] =
        [[-100.0, 0.0], [0.0, -100.0], [0.0, 0.0], [100.0, 0.0]].map(|at| builder.node(at));
    builder.control(middle, control);
    builder.street(west, middle, Traits::usual(Class::Primary), &[]);
    builder.street(south, middle, Traits::usual(Class::Residential), &[]);
    builder.street(middle, east, Traits::usual(Class::Primary), &[]);
    let network = builder.build();
    let find = |from, to| network.iter().find(|street| (street.from, street.to) == (from, to)).unwrap().id;
    let streets = [find(west, middle), find(south, middle), find(middle, east)];
    (network, streets)
}

/// A cell of a street, counted from its end.
fn before_end(roads: &Roads, street: u32, n: u32) -> u32 {
    let street = roads.streets[street as usize];
    street.first + street.length - 1 - n
}

/// Which of two streets has green.
fn green(traffic: &Traffic, streets: [u32; 3]) -> [bool; 2] {
    let is_green = |street| traffic.lights().find(|light| light.street == street).unwrap().is_green;
    [is_green(streets[0]), is_green(streets[1])]
}

#[test]
fn small_streets_yield_to_those_that_come_from_large_ones() {
    let (network, streets) = junction(Control::Yield);
    let roads = Roads::new(&network, &calm()).unwrap();
    // 65 and 30 km/h.
    let limits = [0, 1].map(|n| u32::from(roads.limits[before_end(&roads, streets[n], 0) as usize]));
    assert_eq!(limits, [4, 2]);
    let look = |cars: &[(usize, u32)]| {
        let cars: Vec<Start> = cars.iter().map(|&(n, at)| start(before_end(&roads, streets[n], at), 9)).collect();
        let mut traffic = with_cars(&roads, &calm(), &cars);
        step(&mut traffic);
        (green(&traffic, streets), traffic)
    };
    assert_eq!(look(&[]).0, [true, false], "whoever comes first finds the large street open");
    assert_eq!(look(&[(1, 0)]).0, [false, true]);
    assert_eq!(look(&[(1, 1)]).0, [false, true]);
    assert_eq!(look(&[(1, 2)]).0, [true, false], "too far away to cross in a step");
    for near in 0..4 {
        let (green, traffic) = look(&[(0, near), (1, 0)]);
        assert_eq!(green, [true, false]);
        assert_eq!(traffic.cars().nth(1).unwrap().velocity, 0, "the one on the small street waits");
    }
    let (green, traffic) = look(&[(0, 4), (1, 0)]);
    assert_eq!(green, [false, true]);
    assert_eq!(traffic.cars().nth(1).unwrap().street, streets[2], "the other one is far enough away");
}

#[test]
fn smart_lights_are_green_at_once_for_the_only_ones_who_come() {
    let (network, streets) = junction(Control::Lights);
    let parameters = Parameters { phase_length: 5, ..calm() };
    let roads = Roads::new(&network, &parameters).unwrap();
    assert_eq!(roads.controllers(), [0, 1, 0]);
    for seed in 0..20 {
        let parameters = Parameters { seed, ..parameters.clone() };
        for n in 0..2 {
            let mut traffic = with_cars(&roads, &parameters, &[start(before_end(&roads, streets[n], 1), 1)]);
            for _ in 0..2 {
                step(&mut traffic);
                assert!(green(&traffic, streets)[n], "whatever was green before");
            }
            step(&mut traffic);
            assert_eq!(traffic.cars().next().unwrap().street, streets[2]);
        }
        // A row of cars on both streets: each has green for five steps.
        let rows = (0..2).flat_map(|n| (0..20).map(move |at| (n, at)));
        let cars: Vec<Start> = rows.map(|(n, at)| start(before_end(&roads, streets[n], at), 1)).collect();
        let mut traffic = with_cars(&roads, &parameters, &cars);
        let mut phases = Vec::new();
        for _ in 0..30 {
            step(&mut traffic);
            phases.push(green(&traffic, streets)[0]);
        }
        let changes: Vec<usize> = (1..30).filter(|&t| phases[t] != phases[t - 1]).collect();
        assert!(changes.len() >= 5 && changes.windows(2).all(|pair| pair[1] - pair[0] == 5), "{changes:?}");
        // Without cars, the result is the same.
        let mut traffic = with_cars(&roads, &parameters, &[]);
        let mut changes = 0;
        let mut last = None;
        for _ in 0..30 {
            step(&mut traffic);
            let now = green(&traffic, streets);
            changes += u32::from(last.is_some_and(|last| last != now));
            last = Some(now);
        }
        assert!((5..=6).contains(&changes));
    }
}

#[test]
fn other_lights_wait_for_their_turn() {
    let (network, streets) = junction(Control::Lights);
    let parameters = Parameters { phase_length: 7, lights: Lights::RoundRobin, ..calm() };
    let roads = Roads::new(&network, &parameters).unwrap();
    assert_eq!(roads.controllers(), [1, 0, 0]);
    // Only one street has cars, and the other one still has green for the same time.
    let mut traffic = with_cars(&roads, &parameters, &[start(before_end(&roads, streets[0], 5), 5)]);
    let mut counts = [0, 0];
    for _ in 0..140 {
        step(&mut traffic);
        let green = green(&traffic, streets);
        counts = [counts[0] + u32::from(green[0]), counts[1] + u32::from(green[1])];
    }
    assert_eq!(counts, [70, 70]);
}

#[test]
fn nobody_passes_a_red_light_and_all_stop_before_it() {
    let (network, streets) = junction(Control::Lights);
    let parameters = Parameters { phase_length: 1000, lights: Lights::RoundRobin, ..calm() };
    let roads = Roads::new(&network, &parameters).unwrap();
    let cars = [0, 1].map(|n| start(before_end(&roads, streets[n], 19), 9));
    let mut traffic = with_cars(&roads, &parameters, &cars);
    for _ in 0..15 {
        step(&mut traffic);
    }
    let red = usize::from(green(&traffic, streets)[0]);
    assert_eq!(places(&traffic)[red], before_end(&roads, streets[red], 0), "at the line");
    assert_ne!(traffic.cars().nth(1 - red).unwrap().street, streets[1 - red], "gone");
}

#[test]
fn of_two_who_want_the_same_cell_the_first_gets_it() {
    let (network, streets) = junction(Control::None);
    let parameters = calm();
    let roads = Roads::new(&network, &parameters).unwrap();
    assert_eq!(roads.groups(), 0);
    for order in [[0, 1], [1, 0]] {
        let cars = order.map(|n| start(before_end(&roads, streets[n], 0), 1));
        let mut traffic = with_cars(&roads, &parameters, &cars);
        step(&mut traffic);
        let states: Vec<_> = traffic.cars().map(|car| (car.street, car.velocity)).collect();
        assert_eq!(states, [(streets[2], 1), (streets[order[1]], 0)]);
    }
}

#[test]
fn cars_that_leave_the_map_come_back_somewhere() {
    let (network, streets) = junction(Control::None);
    let roads = Roads::new(&network, &calm()).unwrap();
    let sink = before_end(&roads, streets[2], 0);
    let mut seen = std::collections::HashSet::new();
    for seed in 0..100 {
        let mut traffic = with_cars(&roads, &Parameters { seed, ..calm() }, &[start(sink, 5)]);
        step(&mut traffic);
        seen.insert(places(&traffic)[0]);
    }
    assert!(seen.len() > 40, "{seen:?}");
}

#[test]
fn turn_lanes_lead_to_different_streets_and_have_one_light() {
    let mut builder = Builder::new(Coordinates::Metres);
    let middle = builder.node([0.0, 0.0]);
    let ends = [[-200.0, 0.0], [0.0, 200.0], [200.0, 0.0], [0.0, -200.0]].map(|at| builder.node(at));
    builder.control(middle, Control::Lights);
    for end in ends {
        let street = builder.street(end, middle, Traits { lanes: 2, ..Traits::usual(Class::Primary) }, &[]);
        builder.back(street);
    }
    let network = builder.build();
    let roads = Roads::new(&network, &calm()).unwrap();
    assert_eq!((roads.groups(), roads.groups.values.len()), (4, 8));
    let from_west = network.iter().find(|street| street.from == ends[0]).unwrap().id;
    let group = roads.group_streets.iter().position(|&street| street == from_west).unwrap();
    let ways = |lane: usize| -> Vec<u32> {
        let last = roads.groups.row(group)[lane];
        roads.outgoing.row(last as usize).iter().map(|&next| network.street(roads.place(next).0).to).collect()
    };
    // The left lane leads to the north; the others lead straight on and to the right.
    assert_eq!((ways(0), ways(1)), (vec![ends[1]], vec![ends[2], ends[3]]));
    let (street, metres) = roads.place(roads.groups.row(group)[1]);
    assert_eq!((street, metres), (from_west, 197.5));
    let mut traffic = Traffic::new(&network, &Parameters { cars: 100, ..Parameters::default() }).unwrap();
    for _ in 0..200 {
        step(&mut traffic);
    }
}

/// Whether a car is among the last cells, by recursion.
fn has_car_behind(traffic: &Traffic, cell: Link<crate::model::Cell>, range: u32) -> bool {
    let here = traffic.world.get(cell);
    here.is_taken()
        || range > 1 && here.incoming().iter().any(|before| has_car_behind(traffic, before.link(), range - 1))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20, failure_persistence: None, ..ProptestConfig::default() })]
    /// In cities with short streets, where the search passes several junctions.
    #[test]
    fn looking_back_finds_what_recursion_finds(seed in any::<u64>(), cars in 0..30_u32, range in 1..7_u32) {
        let network = City { junctions: 30, block: 12.0, seed, ..City::default() }.build();
        let traffic = Traffic::new(&network, &Parameters { cars, seed, ..Parameters::default() }).unwrap();
        for cell in traffic.world.cells.links() {
            let found = traffic.world.get(cell).has_car_behind(range);
            prop_assert_eq!(found, has_car_behind(&traffic, cell, range));
        }
    }

    /// The fast count of free cells agrees with counting them singly, and signs describe the cells that follow.
    #[test]
    fn looking_ahead_finds_what_steps_find(seed in any::<u64>(), cars in 0..60_u32) {
        let network = City { junctions: 8, block: 100.0, seed, ..City::default() }.build();
        let traffic = Traffic::new(&network, &Parameters { cars, seed, ..Parameters::default() }).unwrap();
        let all: Vec<_> = traffic.world.cells.links().collect();
        for (n, &cell) in all.iter().enumerate() {
            let sign = traffic.world.get(cell).sign();
            let ahead = usize::from(sign.ahead).min(32);
            for (&from, &to) in all[n..].iter().zip(&all[n + 1..]).take(ahead) {
                let (from, to) = (traffic.world.get(from), traffic.world.get(to));
                prop_assert!(from.outgoing().len() == 1 && from.outgoing().get(0).link() == to.link());
                prop_assert!(from.link() == cell || !from.sign().has_light);
                prop_assert_eq!(to.sign().max_velocity, sign.max_velocity);
            }
            for count in 1..=ahead {
                let free = all[n + 1..=n + count].iter().take_while(|&&cell| !traffic.world.get(cell).is_taken()).count();
                prop_assert_eq!(traffic.world.get(cell).free_ahead(count as u32) as usize, free);
            }
        }
    }

    /// A truncated or changed file is refused, or can be simulated.
    #[test]
    fn damaged_files_are_no_trouble(seed in any::<u64>(), at in any::<u32>(), value in any::<u32>(), cut in any::<bool>()) {
        let network = City { junctions: 12, block: 60.0, seed, ..City::default() }.build();
        let mut traffic = Traffic::new(&network, &Parameters { cars: 40, ..Parameters::default() }).unwrap();
        traffic.step(Place::Host, 5).unwrap();
        let mut file = Vec::new();
        traffic.export(&mut file).unwrap();
        let at = at as usize % (file.len() / 4) * 4;
        if cut {
            file.truncate(at + 1);
        } else {
            file[at..at + 4].copy_from_slice(&(value >> (value % 32)).to_le_bytes());
        }
        match Traffic::import(file.as_slice()) {
            Err(error) => {
                use crate::TrafficError::{Import, NoMemory};
                prop_assert!(matches!(error, Import(_)) || !cut && matches!(error, NoMemory { .. }), "{error}");
            }
            Ok(mut traffic) => {
                prop_assert!(!cut);
                traffic.step(Place::Host, 10).unwrap();
                traffic.check().unwrap();
            }
        }
    }
}
