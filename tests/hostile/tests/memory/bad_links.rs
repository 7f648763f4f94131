//! Invalid links, stored as numbers in a kernel's own arrays of each arrangement and in structs, and shown in each way
//! before the call ends. The result is a panic or `BadLink`, never a missing object.

use ikra::prelude::*;
use ikra::{Error, Place};
use ikra_hostile_tests::{THREADS, hush, on_threads, outcome};

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Hint {
    pub to: Link<Cell>,
    pub weight: u32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Cell {
    pub x: u32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    pub seen: u32,
    pub at: Link<Cell>,
    #[inline_array]
    pub slots: [Link<Cell>; 3],
    #[inline_array(1)]
    pub list: InnerArray<Link<Cell>>,
    #[inline_array(object)]
    pub whole: [Link<Cell>; 3],
    #[inline_array(0)]
    pub far: InnerArray<Link<Cell>>,
    pub hint: Hint,
    #[inline_array(1)]
    pub hints: InnerArray<Hint>,
    #[inline_array]
    pub maybe: [Option<Link<Cell>>; 2],
}

/// The ways to store a link in an array.
macro_rules! store {
    ($array:expr, $how:expr, $link:expr) => {{
        let link = $link;
        match $how % 8 {
            0 => $array[1] = link,
            1 => $array.fill(link),
            2 => $array.copy_from_slice(&[link; 3]),
            3 => $array.iter_mut().for_each(|element| *element = link),
            4 => _ = core::mem::replace(&mut $array[1], link),
            5 => {
                $array[0] = link;
                $array.swap(0, 1);
            }
            6 => {
                let mut elements = $array.range_mut(1..);
                *elements.next().unwrap() = link;
                core::mem::forget(elements);
            }
            _ => match $array.as_mut_slice() {
                Some(slice) => slice[1] = link,
                None => $array[1] = link,
            },
        }
    }};
}

/// The ways to show it.
macro_rules! show {
    ($array:expr, $how:expr) => {
        match $how / 8 % 10 {
            0 => $array.get(1).x(),
            1 => $array.iter().map(|cell| cell.x()).sum(),
            2 => $array.iter().rev().map(|cell| cell.x()).sum(),
            3 => $array.iter().nth(1).map_or(0, |cell| cell.x()),
            4 => $array.iter().fold(0, |sum, cell| sum + cell.x()),
            5 => $array.range(1..).map(|cell| cell.x()).sum(),
            6 => $array.try_get(1).map_or(0, |cell| cell.x()),
            7 => $array.iter().enumerate().map(|(n, cell)| n as u32 * cell.x()).sum(),
            8 => {
                let mut sum = 0;
                for cell in &$array {
                    sum += cell.x();
                }
                sum
            }
            _ => 0,
        }
    };
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn in_slots(&mut self, link: Link<Cell>, how: u32) {
        store!(self.slots, how, link);
        self.seen += show!(self.slots, how);
    }
    #[kernel]
    pub fn in_a_list(&mut self, link: Link<Cell>, how: u32) {
        store!(self.list, how, link);
        self.seen += show!(self.list, how);
    }
    #[kernel]
    pub fn in_a_whole(&mut self, link: Link<Cell>, how: u32) {
        store!(self.whole, how, link);
        self.seen += show!(self.whole, how);
    }
    #[kernel]
    pub fn in_the_arena(&mut self, link: Link<Cell>, how: u32) {
        store!(self.far, how, link);
        self.seen += show!(self.far, how);
    }
    #[kernel(snapshot(slots, list))]
    pub fn in_snapshots(&mut self, link: Link<Cell>, how: u32) {
        store!(self.slots, how, link);
        store!(self.list, how + 1, link);
        self.seen += show!(self.slots, how) + show!(self.list, how);
    }
    #[kernel]
    pub fn in_structs(&mut self, link: Link<Cell>, how: u32) {
        let hint = Hint { to: link, weight: how };
        match how % 5 {
            0 => self.hint = hint,
            1 => self.hint.to = link,
            2 => self.hints[0] = hint,
            3 => self.hints.iter_mut().for_each(|hint| hint.to = link),
            _ => self.hints.set(1, hint),
        }
        self.seen +=
            self.resolve(self.hint.to).x() + self.hints.iter().map(|hint| self.resolve(hint.to).x()).sum::<u32>();
    }
    #[kernel]
    pub fn in_options(&mut self, link: Link<Cell>, how: u32) {
        self.maybe[how as usize % 2] = Some(link);
        self.seen += self.maybe.iter().flatten().map(|cell| cell.x()).sum::<u32>();
    }
    /// Runs `store` and `show`, and catches their panics.
    #[kernel]
    pub fn and_caught(&mut self, link: Link<Cell>, how: u32) {
        let shown = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            store!(self.whole, how, link);
            self.seen += show!(self.whole, how);
        }));
        if shown.is_err() && how % 2 == 0 {
            self.whole.fill(self.at.link());
        }
    }
    #[kernel]
    pub fn tick(&mut self) {
        self.seen += 1;
        self.seen += self.at.x()
            + self.slots.iter().chain(&self.list).chain(&self.whole).chain(&self.far).map(|cell| cell.x()).sum::<u32>();
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Road {
    pub cells: Objects<Cell>,
    pub cars: Objects<Car>,
}

fn road(cars: usize) -> Road {
    let mut road = Road::new();
    let cells: Vec<_> = road.cells.extend((0..5).map(|x| Cell { x })).unwrap().collect();
    let at = cells[1];
    let hint = Hint { to: at, weight: 0 };
    let car = |_| Car {
        seen: 0,
        at,
        slots: [at; 3],
        list: [at; 3].into(),
        whole: [at; 3],
        far: [at; 3].into(),
        hint,
        hints: [hint; 2].into(),
        maybe: [None; 2],
    };
    road.cars.extend((0..cars).map(car)).unwrap();
    road
}

macro_rules! kernels {
    ($($name:ident)*) => { $(
        #[test]
        fn $name() {
            hush();
            for threads in [1, 2] {
                let original = road(if threads == 1 { 3 } else { 4_500 });
                for how in (0..80).step_by(if threads == 1 { 1 } else { 7 }) {
                    for id in [6, u32::MAX] {
                        let mut road = original.clone();
                        let link = Link::from_id(id).unwrap();
                        let ended = on_threads(threads, || outcome(|| road.execute(Car::$name, (link, how))));
                        let left = road.cars.iter().any(|car| {
                            let hints = car.hints.iter().map(|hint| hint.to).chain([car.hint.to]);
                            let links = car.slots.into_iter().chain(car.list.iter().copied()).chain(car.whole);
                            let mut all = links.chain(car.far.iter().copied()).chain(hints).chain(car.maybe.into_iter().flatten());
                            all.any(|found| found.id() > 5)
                        });
                        assert!(ended.message().is_some() || !left, "way {how}: a bad link is left");
                        let next = on_threads(threads, || road.on(Place::Host).execute(Car::tick, ()));
                        assert_eq!(matches!(next, Err(Error::BadLink { .. })), left, "way {how}, {ended:?}: {next:?}");
                    }
                }
                // Valid links can be stored.
                for how in 0..80 {
                    let mut road = original.clone();
                    road.execute(Car::$name, (Link::from_id(3).unwrap(), how));
                    road.execute(Car::tick, ());
                    if threads == 2 {
                        break;
                    }
                }
            }
        }
    )* };
}
kernels! { in_slots in_a_list in_a_whole in_the_arena in_snapshots in_structs in_options and_caught }

/// Written by the host in each way: the kernel does not run.
#[test]
fn from_the_host() {
    let bad = Link::<Cell>::from_id(6).unwrap();
    let hint = Hint { to: bad, weight: 0 };
    let ways: [(&str, fn(&mut Road, Link<Car>, Link<Cell>, Hint)); 9] = [
        ("set", |road, car, bad, _| road.set(car, car::at, bad)),
        ("column_mut", |road, car, bad, _| road.cars.column_mut(car::at)[car.index()] = bad),
        ("slot_mut", |road, car, bad, _| road.cars.slot_mut(car::slots, 2)[car.index()] = bad),
        ("set_array", |road, car, bad, _| road.cars.set_array(car::list, car, &[bad]).unwrap()),
        ("set_array in the arena", |road, car, bad, _| road.cars.set_array(car::far, car, &[bad; 9]).unwrap()),
        ("guard", |road, car, bad, _| road.get_mut(car).whole[0] = bad),
        ("guard of a struct", |road, car, _, hint| road.get_mut(car).hint = hint),
        ("write", |road, car, bad, _| {
            let row = road.cars.read(car).unwrap();
            road.cars.write(car, Car { maybe: [None, Some(bad)], ..row }).unwrap();
        }),
        ("fewer objects", |road, _, _, _| {
            road.cells = Objects::new();
        }),
    ];
    for threads in THREADS {
        for (name, way) in ways {
            let mut road = road(4_500);
            road.execute(Car::tick, ());
            let car = road.cars.links().nth(4_321).unwrap();
            way(&mut road, car, bad, hint);
            let before: Vec<u32> = road.cars.column(car::seen).to_vec();
            for _ in 0..2 {
                let ended = on_threads(threads, || road.on(Place::Host).execute(Car::tick, ()));
                assert!(matches!(ended, Err(Error::BadLink { .. })), "{name}: {ended:?}");
            }
            assert_eq!(road.cars.column(car::seen), before, "{name}");
        }
    }
}
