//! Objects of several classes give the same results on host and device.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra::{On, Place};
use ikra_device_tests::has_gpu;
use ikra_device_tests::model::actors::*;

fn hash(mut x: u32) -> u32 {
    x = (x ^ x >> 16).wrapping_mul(0x85eb_ca6b);
    x = (x ^ x >> 13).wrapping_mul(0xc2b2_ae35);
    x ^ x >> 16
}

/// A town with random links.
fn town(cars: usize, pedestrians: usize, buses: usize) -> (Town, Vec<ActorLink>) {
    let mut town = Town::new();
    let car_links: Vec<_> = town.cars.reserve(cars).unwrap().collect();
    let pedestrian_links: Vec<_> = town.pedestrians.reserve(pedestrians).unwrap().collect();
    let bus_links: Vec<_> = town.buses.reserve(buses).unwrap().collect();
    let mut actors: Vec<ActorLink> = Vec::new();
    actors.extend(car_links.iter().map(|&link| ActorLink::from(link)));
    actors.extend(pedestrian_links.iter().map(|&link| ActorLink::from(link)));
    actors.extend(bus_links.iter().map(|&link| ActorLink::from(link)));
    let far: Vec<FarLink> = (bus_links.iter().map(|&link| FarLink::from(link)))
        .chain(car_links.iter().map(|&link| FarLink::from(link)))
        .collect();
    let actor = |n: usize| actors[hash(n as u32) as usize % actors.len()];
    let far = |n: usize| far[hash(n as u32 ^ 77) as usize % far.len()];
    let body = |n: usize| Body { pos: n as f32 * 0.25, vel: (n % 17) as f32 - 8.0 };
    for (n, &link) in car_links.iter().enumerate() {
        let car = Car { body: body(n), max: hash(n as u32), felt: 0, target: actor(n), far: far(n) };
        town.cars.init(link, car).unwrap();
    }
    for (n, &link) in pedestrian_links.iter().enumerate() {
        let friends = (0..n % 5).map(|k| actor(10 * n + k)).collect();
        let target = (n % 3 > 0).then(|| actor(n + 5));
        let far = (n % 4 > 0).then(|| far(n + 5));
        let steps = hash(n as u32 ^ 3);
        let pedestrian = Pedestrian { body: body(n), steps: steps >> 8, felt: 0, target, far, friends };
        town.pedestrians.init(link, pedestrian).unwrap();
    }
    for (n, &link) in bus_links.iter().enumerate() {
        let bus = Bus { body: body(n), seats: hash(n as u32 ^ 9), felt: 0, first: None, last: far(n) };
        town.buses.init(link, bus).unwrap();
    }
    (town, actors)
}

/// Runs all executors and returns their results.
fn run(town: &mut Town, actors: &[ActorLink], place: Place) -> Vec<u32> {
    fn all(on: &mut On<'_, Town>, actors: &[ActorLink]) -> Result<Vec<u32>, ikra::Error> {
        let mixed: Vec<_> = (0..actors.len()).filter(|n| n % 3 != 1).rev().map(|n| actors[n]).collect();
        let bus = actors.iter().find_map(|&actor| Link::<Bus>::try_from(actor).ok()).unwrap();
        on.execute(Actor::drive, (Weather::Rainy, 0.5))?;
        on.execute(Actor::feel, actors[actors.len() / 2])?;
        on.over(&mixed).execute(Actor::drive, (Weather::Sunny, 0.25))?;
        on.execute(Car::board, bus)?;
        on.execute(Car::turn, ())?;
        on.over(&mixed).execute(Actor::feel, actors[0])?;
        let mut found = vec![
            on.execute_and_reduce(Actor::weight, 3, Sum)?,
            on.execute_and_reduce(Actor::weight, 3, Max)?,
            on.over(&mixed).execute_and_reduce(Actor::weight, 2, Sum)?,
        ];
        let recording = on.record(|on| {
            on.execute(Actor::drive, (Weather::Sunny, 0.125))?;
            on.execute(Actor::feel, actors[1])
        })?;
        for _ in 0..3 {
            on.replay(&recording)?;
        }
        on.execute(Car::ask, ())?;
        found.push(on.execute_and_reduce(Actor::weight, 1, Sum)?);
        Ok(found)
    }
    all(&mut town.on(place), actors).unwrap()
}

#[test]
fn objects_of_several_classes_do_the_same() {
    if !has_gpu() {
        return;
    }
    for (cars, pedestrians, buses) in [(1, 1, 1), (33, 1000, 7), (5000, 20_000, 300)] {
        let (mut host, actors) = town(cars, pedestrians, buses);
        let mut device = host.clone();
        let expected = run(&mut host, &actors, Place::Host);
        assert_eq!(run(&mut device, &actors, Place::Gpu(0)), expected);
        assert!(host.cars.iter().eq(device.cars.iter()), "{cars} cars");
        assert!(host.pedestrians.iter().eq(device.pedestrians.iter()), "{pedestrians} pedestrians");
        assert!(host.buses.iter().eq(device.buses.iter()), "{buses} buses");
    }
}

/// A link in the plain model: a class and a number.
type Plain = (usize, usize);

/// The host gives the same results as an `enum` of classes with plain vectors.
#[test]
fn the_host_does_what_plain_rust_does() {
    let (mut town, actors) = town(50, 80, 9);
    let plain = |link: ActorLink| -> Plain {
        match link.class() {
            ActorIs::Car(link) => (0, link.index()),
            ActorIs::Pedestrian(link) => (1, link.index()),
            ActorIs::Bus(link) => (2, link.index()),
        }
    };
    let cars: Vec<Car> = town.cars.iter().collect();
    let pedestrians: Vec<Pedestrian> = town.pedestrians.iter().collect();
    let buses: Vec<Bus> = town.buses.iter().collect();
    let size = |(class, n): Plain, factor: u32| match class {
        0 => cars[n].max.wrapping_mul(factor),
        1 => pedestrians[n].steps.wrapping_add(factor),
        _ => buses[n].seats ^ factor,
    };
    town.execute(Car::ask, ());
    let asked: Vec<u32> = cars.iter().map(|car| size(plain(car.target), 1)).collect();
    assert_eq!(town.cars.column(car::felt), asked);
    let wheels = [5, 1, 7];
    let weights = actors.iter().map(|&actor| size(plain(actor), 3).wrapping_mul(wheels[plain(actor).0]) & 0xffff);
    assert_eq!(town.execute_and_reduce(Actor::weight, 3, Sum), weights.clone().sum::<u32>());
    assert_eq!(town.execute_and_reduce(Actor::weight, 3, Max), weights.max().unwrap());
    town.execute(Actor::feel, actors[60]);
    for (link, before) in town.pedestrians.links().zip(&pedestrians) {
        let friends = before.friends.iter().map(|&friend| size(plain(friend), 7)).fold(0, u32::wrapping_add);
        let far = before.far.map_or(0, |far| size(plain(far.upcast()), 2));
        let felt = friends ^ far;
        let felt = match before.target.map(plain) {
            None => felt,
            Some((0, n)) => felt.wrapping_add(cars[n].max),
            Some((1, n)) => felt.wrapping_sub(pedestrians[n].steps),
            Some((_, n)) => felt ^ buses[n].seats,
        };
        assert_eq!(town.get(link).felt(), felt, "{link:?}");
    }
}

/// The numbers below `n` in a pseudo-random order.
fn shuffled(n: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by_key(|&n| hash(n as u32 ^ 0x1234));
    order
}

/// Long lists, which a GPU sorts itself: all objects, some of them, all of one class, and the targets of a column.
#[test]
fn lists_are_put_in_order_on_the_device() {
    if !has_gpu() {
        return;
    }
    let gpu = Place::Gpu(0);
    let (mut host, actors) = town(30_000, 20_011, 700);
    let order = shuffled(actors.len());
    let all: Vec<ActorLink> = order.iter().map(|&n| actors[n]).collect();
    host.cars.column_mut(car::target).copy_from_slice(&all[..30_000]);
    let mut device = host.clone();
    let some: Vec<ActorLink> = (0..all.len()).filter(|&n| !hash(n as u32).is_multiple_of(3)).map(|n| all[n]).collect();
    let lists = [actors.clone(), all.clone(), all[..20_000].to_vec(), some, actors[..30_000].to_vec()];
    for (n, list) in lists.iter().enumerate() {
        let args = (Weather::Rainy, 0.25 * n as f32);
        host.over(list).execute(Actor::drive, args);
        device.on(gpu).over(list).execute(Actor::drive, args).unwrap();
        let expected = host.over(list).execute_and_reduce(Actor::weight, 3, Sum);
        assert_eq!(device.on(gpu).over(list).execute_and_reduce(Actor::weight, 3, Sum).unwrap(), expected, "list {n}");
    }
    let cars: Vec<Link<Car>> =
        shuffled(30_000).into_iter().filter(|n| n % 5 > 0).filter_map(Link::from_index).collect();
    host.over(&cars).execute(Car::ask, ());
    device.on(gpu).over(&cars).execute(Car::ask, ()).unwrap();
    // The targets of a column: the GPU's list is used there, and on the host.
    let on_host = host.on(Place::Host).links(car::target).unwrap();
    let listed = device.on(gpu).links(car::target).unwrap();
    assert_eq!((listed.len(), on_host.len()), (30_000, 30_000));
    host.over(&on_host).execute(Actor::drive, (Weather::Sunny, 2.0));
    host.over(&on_host).execute(Actor::drive, (Weather::Rainy, 1.0));
    device.on(gpu).over(&listed).execute(Actor::drive, (Weather::Sunny, 2.0)).unwrap();
    device.over(&listed).execute(Actor::drive, (Weather::Rainy, 1.0));
    // Both report invalid links in the same words.
    let twice = [&all[..], &[all[77]]].concat();
    let error =
        host.on(ikra::Place::Host).over(&twice).execute(Actor::drive, (Weather::Sunny, 1.0)).unwrap_err().to_string();
    assert_eq!(
        device.on(gpu).over(&twice).execute(Actor::drive, (Weather::Sunny, 1.0)).unwrap_err().to_string(),
        error
    );
    let missing = [&all[..], &[ActorLink::from(Link::<Bus>::from_index(700).unwrap())]].concat();
    let error =
        host.on(ikra::Place::Host).over(&missing).execute(Actor::drive, (Weather::Sunny, 1.0)).unwrap_err().to_string();
    let found = device.on(gpu).over(&missing).execute(Actor::drive, (Weather::Sunny, 1.0)).unwrap_err().to_string();
    assert_eq!(found, error);
    host.cars.column_mut(car::target)[3] = all[4];
    device.cars.column_mut(car::target)[3] = all[4];
    let error = host.on(Place::Host).links(car::target).unwrap_err().to_string();
    assert_eq!(device.on(gpu).links(car::target).unwrap_err().to_string(), error);
    assert!(host.cars.iter().eq(device.cars.iter()));
    assert!(host.pedestrians.iter().eq(device.pedestrians.iter()));
    assert!(host.buses.iter().eq(device.buses.iter()));
}
