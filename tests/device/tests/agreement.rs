//! Host and device agree on each class and kernel, and otherwise refuse to work together. The tests need device code,
//! but no GPU.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::{Error, gpu::GpuError};
use ikra_build::ptx;
use ikra_device_tests::model::actors::{Actor, Pedestrian, Town, Weather};
use ikra_device_tests::model::arguments::{Marker, Taker, Takers, taker};
use ikra_device_tests::model::differs::*;
use ikra_device_tests::model::twins::{self, Twins};
use ikra_device_tests::model::*;
use ikra_device_tests::{device_code, has_gpu};

#[test]
fn what_agrees_is_found() {
    if device_code().is_none() {
        return;
    }
    Crowd::new().cuda().check(Body::advance, 0.1).unwrap();
    Crowd::new().cuda().check(Body::trust, None).unwrap();
    GrowingWorld::new().cuda().check(Growing::look, ()).unwrap();
    SameWorld::new().cuda().check(Same::fits, 3).unwrap();
    SameWorld::new().cuda().check(Same::go, ()).unwrap();
    // The entry point for all classes of a trait.
    Town::new().cuda().check(Actor::drive, (Weather::Sunny, 0.5)).unwrap();
    let walker = Link::<Pedestrian>::from_index(0).unwrap();
    Town::new().cuda().check(Actor::feel, walker.into()).unwrap();
    let error = Town::new().cuda().check(Unlisted::go, ()).unwrap_err();
    assert!(matches!(error, Error::Gpu(GpuError::NoSuchKernel { .. })), "{error}");
}

/// A trait that is missing in the device code.
#[soa_class]
pub struct Here {
    pub count: u32,
}
#[soa_class]
pub struct There {
    pub count: u32,
}
#[soa_dispatch(Here, There)]
pub trait Unlisted {
    #[kernel]
    fn go(&mut self);
}
#[soa_methods]
impl Unlisted for Here {
    fn go(&mut self) {
        self.count += 1;
    }
}
#[soa_methods]
impl Unlisted for There {
    fn go(&mut self) {
        self.count += 2;
    }
}

#[test]
fn twins_are_told_apart() {
    let Some(path) = device_code() else { return };
    let mut world = Twins::new();
    world.cuda().check(twins::first::Twin::go, 1).unwrap();
    world.cuda().check(twins::again::Twin::go, 1).unwrap();
    world.cuda().check(twins::second::Twin::go, 1).unwrap();
    world.cuda().check(twins::third::Twin::go, 1).unwrap();
    world.cuda().check(twins::deeper::third::Twin::go, 1).unwrap();
    let code = std::fs::read_to_string(path).unwrap();
    let names: std::collections::HashSet<String> = ptx::kernels(&code).into_iter().map(|kernel| kernel.name).collect();
    assert_eq!(names.iter().filter(|name| name.starts_with("ikra_kernel_Twin_go_")).count(), 5);
    let of_twin = |line: &&str| line.starts_with("//ikra:class ") && line.contains(" ikra_class_Twin_");
    assert_eq!(code.lines().filter(of_twin).count(), 5);
}

#[test]
fn twins_run_as_what_they_are() {
    if !has_gpu() {
        return;
    }
    let mut world = Twins::new();
    world.first.extend((0..100).map(|n| twins::first::Twin { n })).unwrap();
    world.again.extend((0..90).map(|n| twins::again::Twin { n: n + 1000 })).unwrap();
    world.second.extend((0..80).map(|n| twins::second::Twin { n: f64::from(n) })).unwrap();
    world.third.extend((0..70).map(|n| twins::third::Twin { n })).unwrap();
    world.deeper.extend((0..60).map(|n| twins::deeper::third::Twin { n })).unwrap();
    world.cuda_execute(twins::first::Twin::go, 1).unwrap();
    world.cuda_execute(twins::again::Twin::go, 2).unwrap();
    world.cuda_execute(twins::second::Twin::go, 3).unwrap();
    world.cuda_execute(twins::third::Twin::go, 4).unwrap();
    world.cuda_execute(twins::deeper::third::Twin::go, 5).unwrap();
    assert!(world.first.iter().enumerate().all(|(k, twin)| twin.n == k as u32 + 1));
    assert!(world.again.iter().enumerate().all(|(k, twin)| twin.n == k as u32 + 1002));
    assert!(world.second.iter().enumerate().all(|(k, twin)| twin.n == k as f64 + 1.5));
    assert!(world.third.iter().enumerate().all(|(k, twin)| twin.n == k as u32 + 12));
    assert!(world.deeper.iter().enumerate().all(|(k, twin)| twin.n == k as u32 + 25));
}

/// The error of a check; opening and launching must give the same error wherever the test runs.
fn differs<W: CudaWorld>(mut world: W, check: impl Fn(&mut W) -> Result<(), Error>, names: &[&str]) {
    let error = check(&mut world).unwrap_err();
    assert!(matches!(error, Error::Gpu(GpuError::DeviceCodeDiffers { .. })), "{error}");
    let opened = world.cuda().open(0).unwrap_err();
    assert_eq!(opened.to_string(), error.to_string());
    for name in names {
        assert!(error.to_string().contains(name), "{name} is not in: {error}");
    }
}

#[test]
fn classes_that_differ_are_refused() {
    if device_code().is_none() {
        return;
    }
    let bytes = "field `x` takes 4 bytes on the host and 8 in the device code";
    differs(ByAliasWorld::new(), |world| world.cuda().check(ByAlias::go, ()), &["class ByAlias", bytes]);
    differs(ByAliasRowWorld::new(), |world| world.cuda().check(ByAliasRow::go, ()), &["class ByAliasRow", bytes]);
    let bytes = "field `x` takes 8 bytes on the host and 16 in the device code";
    differs(ByConstantWorld::new(), |world| world.cuda().check(ByConstant::go, ()), &["class ByConstant", bytes]);
    differs(ByStructWorld::new(), |world| world.cuda().check(ByStruct::go, ()), &["class ByStruct", bytes]);
    differs(ByCapacityWorld::new(), |world| world.cuda().check(ByCapacity::go, ()), &["class ByCapacity", "capacity"]);
    differs(ByMeaningWorld::new(), |world| world.cuda().check(ByMeaning::go, ()), &["class ByMeaning", "field `x`"]);
    differs(TwiceWorld::new(), |world| world.cuda().check(Twice::go, ()), &["class Twice", "differs.rs:"]);
}

#[test]
fn launches_of_what_differs_run_nothing() {
    if device_code().is_none() {
        return;
    }
    let mut world = ByAliasWorld::new();
    world.objects.extend((0..300).map(|n| ByAlias { n, x: 0.5, y: 7 })).unwrap();
    assert!(matches!(world.cuda_execute(ByAlias::go, ()), Err(Error::Gpu(GpuError::DeviceCodeDiffers { .. }))));
    assert!(matches!(
        world.on(ikra::Place::Gpu(0)).record(|world| world.execute(ByAlias::go, ())),
        Err(Error::Gpu(GpuError::DeviceCodeDiffers { .. }))
    ));
    assert!(matches!(world.on(ikra::Place::Gpu(0)).synchronize(), Err(Error::Gpu(GpuError::DeviceCodeDiffers { .. }))));
    assert!(world.objects.iter().all(|object| object.y == 7));
    world.execute(ByAlias::go, ());
    assert_eq!(world.objects.column(by_alias::n)[5], 6);
}

#[test]
fn kernels_that_differ_are_refused() {
    if device_code().is_none() {
        return;
    }
    let mut world = SameWorld::new();
    for (error, wanted) in [
        (
            world.cuda().check(Same::take, (1.5, 2)),
            "arguments of 4, 4 bytes on the host and arguments of 8, 4 bytes in",
        ),
        (world.cuda().check(Same::take_array, [1, 2]), "arguments of 2 bytes on the host and arguments of 4 bytes in"),
        (world.cuda().check(Same::take_word, 1.5), "`Same::take_word`"),
    ] {
        let error = error.unwrap_err();
        assert!(matches!(error, Error::Gpu(GpuError::DeviceCodeDiffers { .. })), "{error}");
        assert!(error.to_string().contains(wanted), "{wanted} is not in: {error}");
    }
    let error = world.cuda().check(Same::host_only, ()).unwrap_err();
    assert!(
        matches!(&error, Error::Gpu(GpuError::NoSuchKernel { kernel, .. }) if kernel == "Same::host_only"),
        "{error}"
    );
    if !has_gpu() {
        return;
    }
    world.objects.extend((0..300).map(|n| Same { n, x: 0 })).unwrap();
    let error = world.cuda_execute_and_reduce(Same::sum, (), Sum).unwrap_err();
    assert!(error.to_string().contains("returns 4 bytes on the host and 8 in the device code"), "{error}");
    for error in [
        world.cuda_execute_and_reduce(Same::sum_words, (), Sum).map(drop).unwrap_err(),
        world.on(ikra::Place::Gpu(0)).execute_and_collect(Same::word, ()).map(drop).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Gpu(GpuError::DeviceCodeDiffers { .. })), "{error}");
        assert!(error.to_string().contains("its result"), "{error}");
    }
    assert!(matches!(world.cuda_execute(Same::take, (1.0, 1)), Err(Error::Gpu(GpuError::DeviceCodeDiffers { .. }))));
    assert!(matches!(world.cuda_execute(Same::host_only, ()), Err(Error::Gpu(GpuError::NoSuchKernel { .. }))));
    world.cuda_execute(Same::fits, 2).unwrap();
    assert_eq!(world.objects.column(same::n)[10], 12, "the world can be used further");
}

#[test]
fn arguments_of_no_bytes_are_no_parameters() {
    let Some(path) = device_code() else { return };
    let code = std::fs::read_to_string(path).unwrap();
    let kernels = ptx::kernels(&code);
    let parameters = |name: &str| {
        let kernel = kernels.iter().find(|kernel| kernel.name.starts_with(&format!("ikra_kernel_Taker_{name}_")));
        let parameters = &kernel.unwrap_or_else(|| panic!("no kernel {name}")).parameters;
        parameters.iter().filter(|parameter| !parameter.contains("_words[")).count()
    };
    assert_eq!([parameters("first"), parameters("middle"), parameters("last"), parameters("alone")], [4, 5, 4, 3]);
    let (marker, mut world) = (Marker { nothing: [] }, Takers::new());
    world.cuda().check(Taker::first, (marker, 1)).unwrap();
    world.cuda().check(Taker::middle, (1, [], 2)).unwrap();
    world.cuda().check(Taker::last, (1, [marker; 3])).unwrap();
    world.cuda().check(Taker::alone, marker).unwrap();
    world.cuda().check(Taker::meet, (marker, 1)).unwrap();
    world.cuda().check(Taker::spawn, (marker, 1)).unwrap();
}

#[test]
fn arguments_of_no_bytes_shift_no_others() {
    if !has_gpu() {
        return;
    }
    let marker = Marker { nothing: [] };
    let (mut host, mut device) = (Takers::new(), Takers::new());
    host.construct(300, Taker::spawn, (marker, 5)).unwrap();
    device.on(ikra::Place::Gpu(0)).construct(300, Taker::spawn, (marker, 5)).unwrap();
    host.execute(Taker::first, (marker, 42));
    device.cuda_execute(Taker::first, (marker, 42)).unwrap();
    host.execute(Taker::middle, (3, [], 1 << 33 | 7));
    device.cuda_execute(Taker::middle, (3, [], 1 << 33 | 7)).unwrap();
    host.execute(Taker::last, (9, [marker; 3]));
    device.cuda_execute(Taker::last, (9, [marker; 3])).unwrap();
    host.execute(Taker::alone, marker);
    device.cuda_execute(Taker::alone, marker).unwrap();
    host.execute_pairs(Taker::meet, (marker, 2));
    device.on(ikra::Place::Gpu(0)).execute_pairs(Taker::meet, (marker, 2)).unwrap();
    assert_eq!(host.takers.column(taker::n), device.takers.column(taker::n));
    let sums = (
        host.execute_and_reduce(Taker::sum, (marker, 3), Sum),
        device.cuda_execute_and_reduce(Taker::sum, (marker, 3), Sum).unwrap(),
    );
    assert_eq!(sums.0, sums.1);
}

#[test]
fn kernels_for_the_host_run_there() {
    let mut world = Takers::new();
    world.takers.extend((0..10).map(|n| Taker { n })).unwrap();
    world.execute(Taker::with_tuple, (3, 4.5));
    world.execute(Taker::with_alias, ((1, 2.0), 3));
    world.execute(Taker::with_slice, &[5][..]);
    world.execute(Taker::with_closure, |n| n * 2);
    assert_eq!(world.takers.column(taker::n)[1], 2 * (1 + 7 + 6 + 5));
}
