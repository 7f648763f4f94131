//! Properties of the model, and known solutions.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Place;
use proptest::prelude::*;
use streets::{Builder, City, Class, Control, Coordinates, Network, Traits};
use traffic::{Lights, Parameters, Roads, Traffic};

/// A network of any streets between a few nodes.
fn networks() -> impl Strategy<Value = Network> {
    let street = (0..12_u32, 0..12_u32, 0..Class::ALL.len(), 1..4_u8, 1.0..80.0_f32, any::<bool>());
    let control = prop::sample::select(vec![Control::None, Control::Lights, Control::Yield, Control::Stop]);
    let place = (-300.0..300.0_f64, -300.0..300.0_f64);
    (prop::collection::vec((place, control), 12), prop::collection::vec(street, 1..40)).prop_map(|(nodes, streets)| {
        let mut builder = Builder::new(Coordinates::Metres);
        for ((x, y), control) in nodes {
            let node = builder.node([x, y]);
            builder.control(node, control);
        }
        for (from, to, class, lanes, length, is_one_way) in streets {
            let class = Class::ALL[class];
            let traits = Traits { lanes, length: Some(length), ..Traits::usual(class) };
            let street = builder.street(from, to, traits, &[]);
            if !is_one_way {
                builder.back(street);
            }
        }
        builder.build()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    /// All that must hold holds after every step, on networks of any shape, empty and full.
    #[test]
    fn nothing_goes_wrong(
        network in networks(),
        share in 0.0..1.0_f64,
        seed in any::<u64>(),
        is_smart in any::<bool>(),
        seconds in 0.5..4.0_f32,
        phase_length in 1..8_u32,
    ) {
        let lights = if is_smart { Lights::Smart } else { Lights::RoundRobin };
        let parameters = Parameters { seed, lights, seconds, phase_length, ..Parameters::default() };
        let Ok(roads) = Roads::new(&network, &parameters) else {
            prop_assert!(network.iter().all(|street| !street.class.has_cars()));
            return Ok(());
        };
        let cars = (roads.cells() as f64 * share * share) as u32;
        let mut traffic = Traffic::new(&network, &Parameters { cars, ..parameters }).unwrap();
        traffic.check().unwrap();
        for step in 1..=60 {
            traffic.step(Place::Host, 1).unwrap();
            prop_assert_eq!(traffic.steps(), step);
            prop_assert_eq!(traffic.check(), Ok(()));
        }
        prop_assert_eq!(traffic.cars().len(), cars as usize);
        for car in traffic.cars() {
            let street = network.street(car.street);
            // A cell is rounded to whole ones.
            prop_assert!(car.metres >= 0.0 && car.metres <= street.length + 5.0, "{car:?} {street:?}");
        }
    }
}

#[test]
fn a_city_runs() {
    let network = City { junctions: 300, ..City::default() }.build();
    for lights in [Lights::Smart, Lights::RoundRobin] {
        let mut traffic = Traffic::new(&network, &Parameters { cars: 1500, lights, ..Parameters::default() }).unwrap();
        for _ in 0..300 {
            traffic.step(Place::Host, 1).unwrap();
            traffic.check().unwrap();
        }
        let statistics = traffic.statistics(Place::Host).unwrap();
        println!("{statistics:?}");
        assert!(statistics.mean_velocity > 0.3, "{statistics:?}");
    }
}

/// Where all cars are, and how fast.
fn states(traffic: &Traffic) -> Vec<traffic::CarState> {
    traffic.cars().collect()
}

fn city() -> Traffic {
    let network = City { junctions: 400, ..City::default() }.build();
    Traffic::new(&network, &Parameters { cars: 4000, ..Parameters::default() }).unwrap()
}

#[test]
fn threads_make_no_difference() {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut traffic = city();
            traffic.step(Place::Host, 1000).unwrap();
            (states(&traffic), traffic.lights().collect::<Vec<_>>(), traffic.statistics(Place::Host).unwrap())
        })
    };
    let one = run(1);
    assert!(one.2.mean_velocity > 0.0);
    assert!(one == run(2));
    assert!(one == run(8));
}

#[test]
fn steps_one_by_one_are_steps_together() {
    let (mut together, mut single) = (city(), city());
    together.step(Place::Host, 77).unwrap();
    for _ in 0..77 {
        single.step(Place::Host, 1).unwrap();
    }
    assert_eq!(states(&together), states(&single));
    let mut other = Traffic::on_roads(single.roads().clone(), &Parameters { seed: 43, ..single.parameters().clone() });
    other.as_mut().unwrap().step(Place::Host, 77).unwrap();
    assert_ne!(states(&other.unwrap()), states(&single), "another seed, another run");
}
