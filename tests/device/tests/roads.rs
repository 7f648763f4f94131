//! Links inside structs, in columns and in inner arrays.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::{Error, Place, prelude::*};
use ikra_build::ptx;
use ikra_device_tests::model::roads::{Address, Border, City, Country, Driver, Map, Origin, Road, city};
use ikra_device_tests::{device_code, has_gpu};

const CITIES: usize = 1_000;

fn link(n: usize) -> Link<City> {
    Link::from_index(n % CITIES).unwrap()
}

fn map() -> Map {
    let mut map = Map::new();
    map.countries.extend((0..7).map(|tax| Country { tax })).unwrap();
    let road = |n: usize, by: usize| Road { to: link(n * 13 + by * 7), cost: (n * by % 11) as u32 };
    let cities = (0..CITIES).map(|n| City {
        best: u32::MAX,
        distance: (n * 37 % 101) as u32,
        sum: n as u32,
        roads: (0..n % 5).map(|by| road(n, by)).collect(),
        lanes: (0..n % 4).map(|by| road(n + 1, by)).collect(),
        exits: [road(n, 3), road(n, 5), road(n, 9)],
        home: road(n, 1),
        address: Address { number: n as u16, country: Link::from_id(n as u32 % 8), roads: [road(n, 2), road(n, 4)] },
    });
    map.cities.extend(cities).unwrap();
    map
}

fn run(map: &mut Map, place: Place) -> Result<(), Error> {
    let mut on = map.on(place);
    for _ in 0..3 {
        on.execute(City::relax, ())?;
        on.execute(City::relax_each, ())?;
        on.execute(City::relax_lanes, ())?;
        on.execute(City::visit, ())?;
        on.execute(City::look_back, ())?;
        on.execute(City::move_on, ())?;
    }
    Ok(())
}

#[test]
fn host_and_device_agree() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (map(), map());
    run(&mut host, Place::Host).unwrap();
    run(&mut device, Place::Gpu(0)).unwrap();
    assert!(host.cities.iter().eq(device.cities.iter()));
    assert!(!host.cities.iter().eq(map().cities.iter()));
}

/// A kernel that the host runs would be missing from the recording. Only the host knows which countries exist.
#[test]
fn kernels_of_the_host_are_not_recorded() {
    if !has_gpu() {
        return;
    }
    let mut border = Border::new();
    let countries: Vec<_> = border.countries.extend((1..4).map(|tax| Country { tax })).unwrap().collect();
    let from = Origin { country: Some(countries[0]), number: 0 };
    border.drivers.extend((0..100).map(|paid| Driver { paid, from })).unwrap();
    let recorded = border.on(Place::Gpu(0)).record(|on| {
        on.world().remove(countries[1])?;
        on.execute(Driver::pay, ())
    });
    let error = recorded.unwrap_err().to_string();
    assert!(error.contains("a kernel that the host runs cannot be part of a recording"), "{error}");
}

/// Reorders the cities, and removes two countries.
fn reorder(map: &mut Map) -> Result<(), Error> {
    let cities: Vec<_> = (0..CITIES).map(|n| link(n * 389 + 17)).collect();
    map.reorder(&cities)?;
    let countries: Vec<_> = map.countries.links().filter(|country| country.id() % 3 != 0).collect();
    assert_eq!(map.reorder(&countries)?.removed(), 2);
    Ok(())
}

#[test]
fn host_and_device_agree_after_objects_moved() {
    if !has_gpu() {
        return;
    }
    let (mut host, mut device) = (map(), map());
    for (map, place) in [(&mut host, Place::Host), (&mut device, Place::Gpu(0))] {
        run(map, place).unwrap();
        reorder(map).unwrap();
        run(map, place).unwrap();
        map.cities.push(map.cities.iter().next().unwrap()).unwrap();
        let message = map.reorder(&[link(0)]).unwrap_err().to_string();
        assert!(message.contains("is a link to an object of class City that would be removed"), "{message}");
        run(map, place).unwrap();
    }
    assert_eq!(device.countries.len(), 5);
    assert!(host.cities.iter().eq(device.cities.iter()));
}

#[test]
fn bad_links_are_found_before_a_kernel_runs() {
    let place = if has_gpu() { Place::Gpu(0) } else { Place::Host };
    let mut map = map();
    run(&mut map, place).unwrap();
    let bad = Road { to: Link::from_id(CITIES as u32 + 1).unwrap(), cost: 0 };
    map.cities.set_array(city::roads, link(3), &[bad]).unwrap();
    let error = run(&mut map, place).unwrap_err();
    assert!(matches!(error, Error::BadLink { field: "roads", object: 4, id: 1_001, .. }), "{error}");
    map.cities.set_array(city::roads, link(3), &[]).unwrap();
    let address = map.cities.read(link(5)).unwrap().address;
    map.set(link(5), city::address, Address { country: Link::from_id(8), ..address });
    let error = run(&mut map, place).unwrap_err();
    assert!(matches!(error, Error::BadLink { field: "address", target: "Country", id: 8, len: 7, .. }), "{error}");
    map.set(link(5), city::address, address);
    run(&mut map, place).unwrap();
}

#[test]
fn kernels_do_not_ask_whether_links_in_structs_are_to_objects() {
    let Some(path) = device_code() else { return };
    let kernels = ptx::kernels(&std::fs::read_to_string(path).unwrap());
    let kernel = |name: &str| {
        let digit = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
        let name = format!("ikra_kernel_City_{name}_");
        kernels.iter().find(|kernel| kernel.name.strip_prefix(&name).is_some_and(digit)).unwrap()
    };
    for name in ["relax", "relax_each", "relax_lanes", "visit"] {
        let kernel = kernel(name);
        assert_eq!((kernel.count("call.uni"), kernel.count("%ikra_count")), (0, 0), "{name}: {}", kernel.body);
    }
    // A road in an arena is one load, at its first use and in the loop. If there is a list, its element is another
    // load.
    let relax = kernel("relax");
    assert_eq!((relax.count("ld.global.b64"), relax.count("ld.global.b32")), (2, 1), "{}", relax.body);
    // A loop over a few roads with their own columns is unrolled: only a missing object or country branches.
    assert_eq!(kernel("visit").body.matches("bra ").count(), 2, "{}", kernel("visit").body);
    // A number that a kernel stores as a link is checked.
    assert!(kernel("move_on").count("call.uni") > 0);
}
