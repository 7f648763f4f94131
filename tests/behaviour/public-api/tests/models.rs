//! The models give the same results as plain code.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;
use ikra_public_api_tests::claim::{Agent, Hall, Place, agent};
use ikra_public_api_tests::life::{Cell, Torus, cell};
use ikra_public_api_tests::road::{self, Car, Ring};

fn with_threads<R: Send>(threads: usize, work: impl FnOnce() -> R + Send) -> R {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

fn plain_life(width: usize, height: usize, alive: &[bool]) -> Vec<bool> {
    (0..width * height)
        .map(|n| {
            let (x, y) = (n % width, n / width);
            let around = (0..9).filter(|&k| k != 4).filter(|&k| {
                let (dx, dy) = (k % 3, k / 3);
                alive[(y + height + dy - 1) % height * width + (x + width + dx - 1) % width]
            });
            let around = around.count();
            around == 3 || alive[n] && around == 2
        })
        .collect()
}

#[test]
fn game_of_life() {
    let (width, height) = (100, 70);
    // A glider, and a random patch.
    let mut alive = vec![(1, 0), (2, 1), (0, 2), (1, 2), (2, 2)];
    let mut state = 12_345u32;
    for y in 30..60 {
        for x in 40..90 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if state >> 30 == 0 {
                alive.push((x, y));
            }
        }
    }
    for threads in [1, 2, 5] {
        let mut torus = Torus::with(width, height, &alive).unwrap();
        let mut plain = torus.cells.column(cell::alive).to_vec();
        for _ in 0..40 {
            with_threads(threads, || torus.execute(Cell::live, ()));
            plain = plain_life(width, height, &plain);
            assert_eq!(torus.cells.column(cell::alive), plain);
        }
        let count = plain.iter().filter(|alive| **alive).count();
        assert_eq!(torus.execute_and_reduce(Cell::count, (), Sum) as usize, count);
        // The glider has moved by ten cells.
        assert!([(11, 10), (12, 11), (10, 12), (11, 12), (12, 12)].iter().all(|(x, y)| plain[y * width + x]));
    }
}

#[test]
fn cars_and_cells_stay_consistent() {
    let n = 500;
    let mut ring = Ring::new();
    let cells: Vec<_> = ring.cells.reserve(n).unwrap().collect();
    let cars: Vec<_> = ring.cars.reserve(n / 3).unwrap().collect();
    for (k, &cell) in cells.iter().enumerate() {
        let car = (k % 3 == 0 && k / 3 < cars.len()).then(|| cars[k / 3]);
        ring.cells.init(cell, road::Cell { next: cells[(k + 1) % n], car }).unwrap();
    }
    for (k, &car) in cars.iter().enumerate() {
        ring.cars.init(car, Car { cell: cells[3 * k], free: false }).unwrap();
    }
    let before: Vec<_> = (0..n).map(|k| cells[(k + n - 1) % n]).collect();
    for step in 0..50 {
        ring.execute(Car::look, ());
        ring.execute(road::Cell::update, before.as_slice());
        ring.execute(Car::go, ());
        for &car in &cars {
            assert_eq!(ring.get(car).cell().car().map(|car| car.link()), Some(car), "step {step}");
        }
        assert_eq!(ring.cells.iter().filter(|cell| cell.car.is_some()).count(), cars.len());
    }
}

#[test]
fn the_smallest_id_gets_the_place() {
    let seated = |threads| {
        let mut hall = Hall::new();
        let places: Vec<_> = hall.places.extend((0..100).map(|_| Place { holder: None })).unwrap().collect();
        hall.agents.extend((0..20_000usize).map(|n| Agent { wish: places[n * n % 97], seated: false })).unwrap();
        with_threads(threads, || {
            hall.execute(Agent::claim, ());
            hall.execute(Agent::sit, ());
        });
        hall.agents.column(agent::seated).to_vec()
    };
    let one = seated(1);
    let mut taken = std::collections::HashSet::new();
    let expected: Vec<bool> = (0..20_000usize).map(|n| taken.insert(n * n % 97)).collect();
    assert_eq!(one, expected);
    for threads in [2, 3, 8] {
        assert_eq!(one, seated(threads));
    }
}
