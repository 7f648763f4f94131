//! Snapshots of links: an unwritten value must never count as written. Storage that was in another world still holds
//! that world's links.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, THREADS, WAYS, hush, on_threads, outcome, while_unwinding};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    pub x: u32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    pub cell: Link<Cell>,
    #[inline_array]
    pub near: [Link<Cell>; 2],
    /// A call that writes all elements copies none of them before.
    #[inline_array]
    pub ring: [u32; 4],
    #[inline_array(1)]
    pub path: InnerArray<Link<Cell>>,
    pub bad: bool,
    #[inline_array]
    pub q: [u32; 2],
}

#[soa_methods]
impl Car {
    #[kernel(snapshot(cell, near, ring, path))]
    pub fn follow(&mut self, catches: bool) {
        if catches && self.bad {
            let ended = catch_unwind(AssertUnwindSafe(|| self.q.get(9)));
            assert!(ended.is_err());
        }
        let (first, second) = (self.cell, self.near.get(0));
        self.cell = second;
        self.near.set(0, first);
        self.near.set(1, second);
        for n in 0..4 {
            self.ring[n] = self.ring[(n + 1) % 4] + 1;
        }
        self.path.set(0, first);
    }
}

#[soa_world]
pub struct Road {
    pub cells: Objects<Cell>,
    pub cars: Objects<Car>,
}

fn road(cells: usize, by: usize) -> Road {
    let mut road = Road::new();
    road.cells.extend((0..cells).map(|n| Cell { x: n as u32 })).unwrap();
    let link = |n: usize| Link::from_index((n * by) % cells).unwrap();
    let car = |n: usize| Car {
        cell: link(n),
        near: [link(n + 1), link(n + 2)],
        ring: [0, 1, 2, 3],
        path: [link(n + 3); 2].into(),
        bad: n % 6_000 == 9,
        q: [0; 2],
    };
    road.cars.extend((0..MANY).map(car)).unwrap();
    road
}

/// Objects come from a world with many cells, and their links are repaired for a world with ten. Then the kernel runs.
/// It follows no invalid link.
fn attack(catches: bool) -> Vec<Car> {
    let (mut large, mut small) = (road(MANY, 1), road(10, 1));
    // Both halves of the snapshot's storage hold links of the large world.
    large.execute(Car::follow, false);
    large.execute(Car::follow, false);
    std::mem::swap(&mut large.cars, &mut small.cars);
    let good = road(10, 1);
    let links: Vec<_> = small.cars.links().collect();
    for link in links {
        small.cars.write(link, good.cars.read(link).unwrap()).unwrap();
    }
    drop(large);
    small.execute(Car::follow, catches);
    small.cars.iter().collect()
}

fn assert_right(cars: &[Car], when: &str) {
    let link = |n: usize| Link::<Cell>::from_index(n % 10).unwrap();
    assert_eq!(cars.len(), MANY);
    let wrong = cars.iter().enumerate().filter(|(n, car)| {
        let n = *n;
        car.cell != link(n + 1)
            || car.near != [link(n), link(n + 1)]
            || car.ring != [2, 3, 4, 3]
            || car.path.to_vec() != [link(n), link(n + 3)]
    });
    assert_eq!(wrong.count(), 0, "{when}: cars with links that nobody has stored");
}

#[test]
fn in_a_destructor() {
    hush();
    for way in WAYS {
        for threads in [1, 4] {
            assert_right(&while_unwinding(way, threads, || attack(false)), &format!("{way:?}, {threads} threads"));
        }
    }
}

#[test]
fn in_a_kernel_that_catches_a_panic() {
    hush();
    for threads in THREADS {
        assert_right(&on_threads(threads, || attack(true)), &format!("{threads} threads"));
    }
}

#[soa_methods]
impl Car {
    #[kernel(snapshot(cell, near, ring, path))]
    pub fn follow_and_fail(&mut self, id: u32) {
        self.cell = self.near.get(1);
        self.ring.fill(77);
        self.path.set(1, self.cell);
        assert!(self.link().id() != id, "on purpose");
    }
}

/// A kernel that panics changes nothing, and the next kernel sees none of its writes.
#[test]
fn after_a_panic() {
    for threads in THREADS {
        let mut world = road(10, 1);
        for id in [1, 9_999, MANY as u32] {
            let ended = outcome(|| on_threads(threads, || world.execute(Car::follow_and_fail, id)));
            assert!(ended.message().is_some());
            let before = road(10, 1);
            assert!(world.cars.iter().zip(before.cars.iter()).all(|(a, b)| {
                (a.cell, a.near, a.ring, a.path.to_vec()) == (b.cell, b.near, b.ring, b.path.to_vec())
            }));
        }
        on_threads(threads, || world.execute(Car::follow, false));
        assert_right(&world.cars.iter().collect::<Vec<_>>(), &format!("{threads} threads"));
    }
}
