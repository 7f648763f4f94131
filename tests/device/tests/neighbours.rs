//! Groups as arguments of kernels: the same bits on host and device.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::rng::Random;
use ikra::{Error, Grid, Place, prelude::*};
use ikra_device_tests::model::neighbours::*;
use ikra_device_tests::{emulated, has_gpu, is_short};

const GPU: Place = Place::Gpu(0);
const SIZE: f32 = 6.0;

fn cloud(len: u32) -> Cloud {
    let mut cloud = Cloud::new();
    let mote = |n| {
        let mut random = Random::new(5, n, 0);
        let pos = [0; 3].map(|_| random.uniform_f32() * SIZE * 1.2 - 0.1 * SIZE);
        Mote { pos, kind: random.below(7), near: 0, sum: [0.0; 3], mixed: 0, friend: None }
    };
    cloud.motes.extend((0..len).map(mote)).unwrap();
    let probe = |n| {
        let mut random = Random::new(6, n, 0);
        let at = if n % 50 == 0 { f32::NAN } else { random.uniform_f32() * SIZE };
        Probe { pos: [at, random.uniform_f32() * SIZE], found: 0, mixed: 0 }
    };
    cloud.probes.extend((0..300).map(probe)).unwrap();
    cloud
}

/// What the kernels have written, by bits.
fn bits(cloud: &Cloud) -> Vec<(u32, [u32; 3], u64, Option<u32>)> {
    let mote = |mote: Mote| (mote.near, mote.sum.map(f32::to_bits), mote.mixed, mote.friend.map(Link::id));
    cloud.motes.iter().map(mote).collect()
}

fn len() -> u32 {
    if is_short() { 300 } else { 30_000 }
}

#[test]
fn neighbours_are_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    let radius = if is_short() { 0.9 } else { 0.3 };
    let space = Grid::new([0.0; 3], [SIZE; 3], radius);
    let plane = Grid::new([0.0; 2], [SIZE; 2], radius);
    // Two cells along an axis, too.
    let flat = Grid::new([0.0; 3], [SIZE, SIZE, 2.1 * radius], radius);
    for grid in [space, space.periodic(), flat, flat.periodic()] {
        let plane = if grid.is_periodic() { plane.periodic() } else { plane };
        let results = [Place::Host, GPU].map(|place| {
            let mut cloud = cloud(len());
            let near = cloud.on(place).group_by(Mote::in_space, grid, ()).unwrap();
            cloud.on(place).execute(Mote::look, (&near, radius)).unwrap();
            let near = cloud.on(place).group_by(Mote::in_plane, plane, ()).unwrap();
            cloud.on(place).execute(Probe::find, &near).unwrap();
            let found: Vec<_> = cloud.probes.iter().map(|probe| (probe.found, probe.mixed)).collect();
            (bits(&cloud), found)
        });
        assert_eq!(results[0], results[1]);
        assert!(results[0].0.iter().any(|mote| mote.0 > 1));
        assert!(results[0].1[0] == (0, 1) && results[0].1.iter().any(|found| found.0 > 1));
    }
}

#[test]
fn groups_of_any_keys_are_the_same_at_every_place() {
    if !has_gpu() {
        return;
    }
    let results = [Place::Host, GPU].map(|place| {
        let mut cloud = cloud(len());
        let kinds = cloud.on(place).group_by(Mote::kind_of, 7, ()).unwrap();
        cloud.on(place).execute(Mote::mix, (31, &kinds)).unwrap();
        let mixed = bits(&cloud);
        let some = cloud.on(place).select(Mote::is_of, 3).selection().unwrap();
        let shells = Shells { width: 1.1, count: 5 };
        let far = cloud.on(place).over(&some).group_by(Mote::distance, shells, ()).unwrap();
        cloud.on(place).over(&some).execute(Mote::shells, (&far, &kinds)).unwrap();
        let most = cloud.on(place).execute_and_reduce(Mote::most, &kinds, Max).unwrap();
        // A second kernel for the same groups, which are on the device already.
        cloud.on(place).execute(Mote::mix, (7, &kinds)).unwrap();
        (mixed, bits(&cloud), some.len(), most)
    });
    assert_eq!(results[0], results[1]);
}

#[test]
fn memory_of_groups_serves_the_next_groups() {
    if !has_gpu() {
        return;
    }
    let mut cloud = cloud(500);
    let mut expected = self::cloud(500);
    for n in 0..20 {
        // Other numbers of groups and of objects each time.
        let objects = ..500 - 20 * n as usize;
        let kinds = cloud.on(GPU).over(objects).group_by(Mote::kind_of, 7 + 100 * (n % 3), ()).unwrap();
        cloud.on(GPU).execute(Mote::mix, (u64::from(n), &kinds)).unwrap();
        drop(kinds);
        let kinds = expected.over(objects).group_by(Mote::kind_of, 7, ()).unwrap();
        expected.execute(Mote::mix, (u64::from(n), &kinds));
        if n % 4 == 3 {
            assert_eq!(bits(&cloud), bits(&expected));
        }
    }
    assert_eq!(bits(&cloud), bits(&expected));
}

#[test]
fn stale_groups_are_refused_before_a_launch() {
    if !has_gpu() {
        return;
    }
    for place in [Place::Host, GPU] {
        let mut cloud = cloud(50);
        let kinds = cloud.on(place).group_by(Mote::kind_of, 7, ()).unwrap();
        let mut other = self::cloud(50);
        let error = other.on(place).execute(Mote::mix, (1, &kinds)).unwrap_err();
        assert!(matches!(error, Error::StaleGroups { class: "Mote" }), "{error}");
        cloud.on(place).sort_by_key(Mote::kind_of, ()).unwrap();
        let error = cloud.on(place).execute(Mote::mix, (1, &kinds)).unwrap_err();
        assert!(error.to_string().contains("make them again by `group_by`"), "{error}");
        let kinds = cloud.on(place).group_by(Mote::kind_of, 7, ()).unwrap();
        cloud.on(place).execute(Mote::mix, (1, &kinds)).unwrap();
        // A recording would outlive the groups.
        let error = cloud.on(place).record(|cloud| cloud.execute(Mote::mix, (1, &kinds))).unwrap_err();
        assert!(matches!(error, Error::NotRecordable { .. }), "{error}");
    }
}

#[test]
#[ignore = "ends the GPU's work; run by the next test"]
fn beyond_the_last_group() {
    assert!(has_gpu());
    let mut cloud = cloud(50);
    let kinds = cloud.on(GPU).group_by(Mote::kind_of, 7, ()).unwrap();
    cloud.on(GPU).execute(Mote::beyond, &kinds).unwrap();
    let error = cloud.on(GPU).synchronize().unwrap_err();
    assert!(error.to_string().contains("Mote::beyond"), "{error}");
    cloud.cuda().accept_loss();
}

#[test]
fn a_key_without_a_group_is_a_panic_of_the_kernel() {
    if !has_gpu() {
        return;
    }
    let said = emulated(&[], &["beyond_the_last_group"]);
    assert!(said.contains("Mote::beyond for Mote#") && said.contains("there is no group with a key"), "{said}");
}
