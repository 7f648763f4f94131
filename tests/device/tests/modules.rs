//! A world whose kernels are in the device code of several packages, one module per package.
#![allow(missing_docs, reason = "a test, not a library")]

use gears::model::{Gear, Spring, gear, spring};
use hands::model::{Hand, hand};
use ikra::prelude::*;
use ikra::{Error, On, Place as At, gpu::GpuError};
use ikra_device_tests::model::waves::{Left, left};
use ikra_device_tests::{device_code, emulated, has_gpu};

const N: usize = 300;

/// `Left` is in this package's device code; `Gear` and `Spring` are in both other packages; `Hand` is in the last.
#[soa_world(device_code = [gears::DEVICE_CODE, hands::DEVICE_CODE])]
pub struct Clock {
    pub left: Objects<Left>,
    pub gears: Objects<Gear>,
    pub springs: Objects<Spring>,
    pub hands: Objects<Hand>,
}

/// A world that lacks the device code of a package.
#[soa_world(device_code = [gears::DEVICE_CODE])]
pub struct Forgotten {
    pub gears: Objects<Gear>,
    pub hands: Objects<Hand>,
}

/// A world that this package's device code does not contain.
#[soa_world(device_code = [hands::DEVICE_CODE])]
pub struct Foreign {
    pub springs: Objects<Spring>,
}

fn clock() -> Clock {
    let mut clock = Clock::new();
    let all: Vec<_> = clock.left.reserve(N).unwrap().collect();
    for (n, &link) in all.iter().enumerate() {
        clock.left.init(link, Left { a: n as u32, b: 0, next: all[(n * 7 + 3) % N] }).unwrap();
    }
    let all: Vec<_> = clock.gears.reserve(N).unwrap().collect();
    for (n, &link) in all.iter().enumerate() {
        clock.gears.init(link, Gear { angle: n as u32, next: all[(n * 11 + 5) % N] }).unwrap();
    }
    clock.springs.extend((0..N / 2).map(|n| Spring { tension: n as u32 })).unwrap();
    clock.hands.extend((0..N).map(|n| Hand { place: 0, gear: all[(n * 13 + 1) % N] })).unwrap();
    clock
}

fn check(one: &Clock, other: &Clock, what: &str) {
    assert_eq!(one.left.column(left::a), other.left.column(left::a), "{what}");
    assert_eq!(one.gears.column(gear::angle), other.gears.column(gear::angle), "{what}");
    assert_eq!(one.springs.column(spring::tension), other.springs.column(spring::tension), "{what}");
    assert_eq!(one.hands.column(hand::place), other.hands.column(hand::place), "{what}");
}

/// Kernels of three modules. `mesh` exchanges columns, which `follow`, in another module, reads.
const KERNELS: &[fn(&mut On<'_, Clock>) -> Result<(), Error>] = &[
    |on| on.execute(Gear::mesh, ()),
    |on| on.execute(Hand::follow, ()),
    |on| on.execute(Left::turn, ()),
    |on| on.execute(Spring::wind, ()),
    |on| on.over(5..N / 2).execute(Gear::mesh, ()),
];

#[test]
fn kernels_of_all_modules_see_the_same_columns() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (clock(), clock());
    let mut random = 7_u32;
    for round in 0..200 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let kernel = KERNELS[(random >> 16) as usize % KERNELS.len()];
        kernel(&mut host.on(At::Host)).unwrap();
        kernel(&mut device.on(At::Gpu(0))).unwrap();
        if round % 16 == 0 {
            for sim in [&mut host, &mut device] {
                let next = sim.gears.links().next().unwrap();
                sim.gears.push(Gear { angle: round, next }).unwrap();
            }
        }
        if round % 40 == 0 {
            check(&host, &device, &format!("round {round}"));
        }
    }
    check(&host, &device, "at the end");
}

#[test]
fn recordings_have_kernels_of_all_modules() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (clock(), clock());
    let step = |on: &mut On<'_, Clock>| KERNELS.iter().try_for_each(|kernel| kernel(on));
    let recording = device.on(At::Gpu(0)).record(step).unwrap();
    for _ in 0..5 {
        device.on(At::Gpu(0)).replay(&recording).unwrap();
        device.on(At::Gpu(0)).execute(Gear::mesh, ()).unwrap();
        step(&mut host.on(At::Host)).unwrap();
        host.execute(Gear::mesh, ());
    }
    check(&host, &device, "replayed");
}

#[test]
fn worlds_of_other_packages_classes_run() {
    if !has_gpu() {
        return;
    }
    let mut world = Foreign::new();
    world.springs.push(Spring { tension: 4 }).unwrap();
    world.cuda_execute(Spring::wind, ()).unwrap();
    assert_eq!(world.springs.column(spring::tension), [5]);
}

#[test]
fn kernels_are_found_without_a_gpu() {
    if device_code().is_none() {
        let error = Clock::new().cuda().check(Gear::mesh, ()).unwrap_err();
        assert!(matches!(error, Error::Gpu(GpuError::NoDeviceCode { .. })), "{error}");
        return;
    }
    assert_eq!((gears::DEVICE_CODE.package(), hands::DEVICE_CODE.package()), ("ikra-gears-tests", "ikra-hands-tests"));
    let mut clock = Clock::new();
    clock.cuda().check(Left::turn, ()).unwrap();
    clock.cuda().check(Gear::mesh, ()).unwrap();
    clock.cuda().check(Spring::wind, ()).unwrap();
    clock.cuda().check(Hand::follow, ()).unwrap();
    let error = Forgotten::new().cuda().check(Hand::follow, ()).unwrap_err().to_string();
    for wanted in ["`Hand::follow`", "`ikra-device-tests`, `ikra-gears-tests`", "device_code = ["] {
        assert!(error.contains(wanted), "{wanted} is not in: {error}");
    }
}

#[test]
fn each_kernel_is_launched_from_one_module() {
    if device_code().is_none() {
        return;
    }
    let tests = [
        "kernels_of_all_modules_see_the_same_columns",
        "recordings_have_kernels_of_all_modules",
        "worlds_of_other_packages_classes_run",
    ];
    let said = emulated(&[("TRACE", "1")], &tests);
    assert!(!said.contains("SKIPPED"), "{said}");
    // Each kernel is launched from the first module that contains it.
    let launched = |name: &str| {
        let mut symbols: Vec<&str> =
            said.lines().filter_map(|line| line.split_once(" launches ").map(|(_, name)| name)).collect();
        symbols.retain(|symbol| symbol.starts_with(name));
        symbols.sort_unstable();
        symbols.dedup();
        symbols.len()
    };
    assert_eq!([launched("ikra_kernel_Gear_mesh_"), launched("ikra_kernel_Hand_follow_")], [1, 1], "{said}");
    // The kernel of `Foreign` is in the other module.
    assert_eq!(launched("ikra_kernel_Spring_wind_"), 2, "{said}");
}
