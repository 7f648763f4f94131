//! Host and device, bit for bit.
#![allow(missing_docs, reason = "a test, not a library")]

#[path = "../../streets/tests/extracts/mod.rs"]
mod extracts;

use ikra::Place;
use ikra_test_gpu::is_emulated;
use streets::{City, Network};
use traffic::{CarState, LightState, Lights, Parameters, Roads, Statistics, Traffic};

/// Whether there is a GPU to run on: the machine's, or the emulator.
fn has_gpu() -> bool {
    ikra_test_gpu::has_gpu(option_env!("IKRA_DEVICE_CODE"))
}

/// Steps of each run.
fn steps() -> u32 {
    if is_emulated() { 50 } else { 1000 }
}

fn run(mut traffic: Traffic, place: Place) -> (Vec<CarState>, Vec<LightState>, Statistics) {
    traffic.step(place, steps() - 1).unwrap();
    traffic.check().unwrap();
    traffic.step(place, 1).unwrap();
    traffic.check().unwrap();
    let statistics = traffic.statistics(place).unwrap();
    (traffic.cars().collect(), traffic.lights().collect(), statistics)
}

fn agree(make: impl Fn() -> Traffic) {
    let (host, device) = (run(make(), Place::Host), run(make(), Place::Gpu(0)));
    assert_eq!(host.2, device.2);
    assert!(host == device);
}

#[test]
fn host_and_device_agree_over_a_thousand_steps() {
    if !has_gpu() {
        return;
    }
    let part = if is_emulated() { 10 } else { 1 };
    for lights in [Lights::Smart, Lights::RoundRobin] {
        let network = City { junctions: 2000 / part, ..City::default() }.build();
        agree(|| {
            Traffic::new(&network, &Parameters { cars: 20_000 / part as u32, lights, ..Parameters::default() }).unwrap()
        });
    }
    agree(|| Traffic::ring(10_000, 5, &Parameters { cars: 2500, ..Parameters::default() }).unwrap());
}

#[test]
fn they_agree_on_real_networks() {
    if !has_gpu() {
        return;
    }
    let Some(folder) = extracts::folder() else { return };
    let mut networks = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        if path.ends_with("osmnx-short.graphml") {
            // An excerpt, without streets.
            continue;
        }
        let (network, _) = Network::read(&path).unwrap();
        let cells = Roads::new(&network, &Parameters::default()).unwrap().cells();
        let cars = cells.div_ceil(6) as u32;
        println!("{}: {cells} cells, {cars} cars", path.display());
        agree(|| Traffic::new(&network, &Parameters { cars, ..Parameters::default() }).unwrap());
        networks += 1;
    }
    assert!(networks > 0);
}

#[test]
fn runs_move_between_host_and_device() {
    if !has_gpu() {
        return;
    }
    let network = City { junctions: 300, ..City::default() }.build();
    let make = || Traffic::new(&network, &Parameters { cars: 2000, ..Parameters::default() }).unwrap();
    let (mut moved, mut stayed) = (make(), make());
    for place in [Place::Host, Place::Gpu(0), Place::Host, Place::Gpu(0)] {
        moved.step(place, 25).unwrap();
        moved.check().unwrap();
    }
    stayed.step(Place::Host, 100).unwrap();
    assert!(moved.cars().eq(stayed.cars()));
}
