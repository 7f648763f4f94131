//! Worlds, members and states that are swapped at random, between kernels, guards, copies and round trips through
//! serde. Each object stores which world's cells its links must refer to.

use ikra::prelude::*;
use ikra_hostile_tests::{mixed, on_threads};
use serde::{Deserialize, Serialize};

#[soa_class]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cell {
    pub tag: u64,
    #[atomic]
    pub hits: u32,
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Car {
    pub at: Link<Cell>,
    pub seen: u64,
    #[inline_array(1)]
    pub path: InnerArray<Link<Cell>>,
    #[inline_array]
    pub near: [Link<Car>; 2],
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn look(&mut self) {
        self.seen = self.at.tag() + self.path.iter().map(|cell| cell.tag()).sum::<u64>();
        self.at.hits().add(1);
    }
    #[kernel(snapshot(at, path))]
    pub fn drive(&mut self) {
        let next = self.near.get(0);
        self.at = next.at();
        if !self.path.is_empty() {
            self.path.set(0, next.at());
        }
    }
}

#[soa_world]
#[derive(Clone, Serialize, Deserialize)]
pub struct Road {
    pub cells: Objects<Cell>,
    pub cars: Objects<Car>,
}

fn road(tag: u64, cells: usize, cars: usize) -> Road {
    let mut road = Road::new();
    road.cells.extend((0..cells).map(|_| Cell { tag, hits: 0 })).unwrap();
    let cell = |n: u64| Link::from_index(n as usize % cells).unwrap();
    let car = |n: u64| Link::from_index(n as usize % cars).unwrap();
    let row = |n: usize| Car {
        at: cell(mixed(n, 1)),
        seen: 0,
        path: (0..n % 4).map(|k| cell(mixed(n, 2 + k as u64))).collect(),
        near: [car(n as u64 + 1), car(mixed(n, 7))],
    };
    road.cars.extend((0..cars).map(row)).unwrap();
    road
}

/// Checks everything in a world: the tags match the cells that it holds now.
fn assert_whole(world: &mut Road) {
    let tag = world.cells.column(cell::tag).first().copied().unwrap_or(0);
    assert!(world.cells.column(cell::tag).iter().all(|other| *other == tag));
    world.execute(Car::look, ());
    for car in world.all::<Car>() {
        assert_eq!(car.seen(), tag * (1 + car.path().len() as u64));
        assert_eq!(car.near().get(1).at().tag(), tag);
    }
    for link in world.cars.links().step_by(7) {
        assert_eq!(world.get(link).near().get(0).at().tag(), tag);
    }
}

#[test]
fn at_random() {
    on_threads(2, || {
        let mut worlds: Vec<Road> = (0..4).map(|n| road(n as u64 + 1, 40, 60 + 3000 * (n % 2))).collect();
        let mut spare: Vec<Objects<Cell>> = Vec::new();
        for step in 0..400 {
            let pick = |salt, of: usize| mixed(step, salt) as usize % of;
            let (a, b) = (pick(1, 4), (pick(1, 4) + 1 + pick(2, 3)) % 4);
            let [first, second] = worlds.get_disjoint_mut([a, b]).unwrap();
            match pick(3, 13) {
                0 => std::mem::swap(first, second),
                1 => std::mem::swap(&mut first.cells, &mut second.cells),
                2 => std::mem::swap(&mut first.cars, &mut second.cars),
                3 => std::mem::swap(World::state_mut(first), World::state_mut(second)),
                4 => *first = second.clone(),
                5 => first.cells = second.cells.clone(),
                6 => {
                    let cells = std::mem::replace(&mut first.cells, road(step as u64 + 9, 40, 1).cells);
                    assert_whole(first);
                    spare.push(cells);
                }
                7 => {
                    if let Some(cells) = spare.pop() {
                        first.cells = cells;
                    }
                }
                8 => {
                    let text = serde_json::to_string(&*first).unwrap();
                    *second = serde_json::from_str(&text).unwrap();
                }
                9 => {
                    let text = serde_json::to_string(&first.cars).unwrap();
                    second.cars = serde_json::from_str(&text).unwrap();
                }
                10 => {
                    let link = second.cars.links().nth(pick(4, 50)).unwrap();
                    let at = second.cells.links().nth(pick(5, 40)).unwrap();
                    let mut guard = second.get_mut(link);
                    guard.at = guard.resolve(at);
                    guard.drive();
                }
                11 => first.execute(Car::drive, ()),
                _ => {
                    let state = std::mem::take(World::state_mut(first));
                    *World::state_mut(second) = state;
                }
            }
            assert_whole(&mut worlds[a]);
            assert_whole(&mut worlds[b]);
        }
    });
}
