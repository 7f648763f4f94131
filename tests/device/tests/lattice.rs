//! Loops of nine iterations over a local array.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::{Place, prelude::*};
use ikra_build::ptx;
use ikra_device_tests::model::lattice::{BACK, DIRECTIONS, Lattice, Site, WEIGHTS};
use ikra_device_tests::{device_code, has_gpu};

const SIDE: usize = 32;
const VISCOSITY: f32 = 0.8;

/// The site from which the gas of a direction arrives, with wrap-around at the edges.
fn before(site: usize, direction: usize) -> usize {
    let [x, y] = [site % SIDE, site / SIDE];
    let from = |at: usize, step: f32| (at as i32 - step as i32).rem_euclid(SIDE as i32) as usize;
    from(y, DIRECTIONS[direction][1]) * SIDE + from(x, DIRECTIONS[direction][0])
}

fn lattice() -> Lattice {
    let mut lattice = Lattice::new();
    let sites = (0..SIDE * SIDE).map(|site| Site {
        is_wall: site % 7 == 3,
        flow: std::array::from_fn(|k| WEIGHTS[k] * (1.0 + (site * (k + 3) % 13) as f32 / 40.0)),
        before: std::array::from_fn(|k| Link::from_index(before(site, k)).unwrap()),
    });
    lattice.sites.extend(sites).unwrap();
    lattice
}

fn flows(lattice: &Lattice) -> Vec<[u32; 9]> {
    lattice.sites.iter().map(|site| site.flow.map(f32::to_bits)).collect()
}

#[test]
fn the_host_does_what_the_text_says() {
    let mut lattice = lattice();
    let old: Vec<Site> = lattice.sites.iter().collect();
    lattice.execute(Site::stream, VISCOSITY);
    for (site, new) in lattice.sites.iter().enumerate() {
        let came: [f32; 9] = std::array::from_fn(|k| old[before(site, k)].flow[k]);
        if new.is_wall {
            assert_eq!(new.flow, BACK.map(|k| came[k]));
        } else {
            // The loss from rounding alone.
            let [mass, old_mass] = [new.flow, came].map(|flow| flow.iter().sum::<f32>());
            assert!((mass - old_mass).abs() < 1e-6, "{mass} {old_mass}");
            assert_ne!(new.flow, came);
        }
    }
}

#[test]
fn host_and_device_agree() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (lattice(), lattice());
    for _ in 0..10 {
        host.execute(Site::stream, VISCOSITY);
        device.on(Place::Gpu(0)).execute(Site::stream, VISCOSITY).unwrap();
    }
    assert_eq!(flows(&host), flows(&device));
}

/// A local array that short loops index is in registers: the loops are unrolled, although their iterations are long.
#[test]
fn arrays_in_short_loops_are_in_registers() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    let stream = kernels.iter().find(|kernel| kernel.name.starts_with("ikra_kernel_Site_stream_")).unwrap();
    assert_eq!(
        (stream.local_bytes(), stream.count("ld.local"), stream.count("st.local")),
        (0, 0, 0),
        "{}",
        stream.body
    );
    assert!(!stream.body.contains(".local"), "{}", stream.body);
}
