//! Invalid links to objects of several classes: like links to one class, they are found before a kernel follows them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::{Error, LinkList, Place};

#[soa_class]
#[derive(Clone)]
pub struct Car {
    pub km: u32,
}
#[soa_class]
#[derive(Clone)]
pub struct Walker {
    pub km: u32,
}

#[soa_dispatch(Car, Walker)]
pub trait Mover {
    fn way(&self) -> u32;
    #[kernel]
    fn step(&mut self);
}
#[soa_methods]
impl Mover for Car {
    fn way(&self) -> u32 {
        100 * self.km
    }
    fn step(&mut self) {
        self.km += 1;
    }
}
#[soa_methods]
impl Mover for Walker {
    fn way(&self) -> u32 {
        self.km
    }
    fn step(&mut self) {
        self.km += 1;
    }
}

#[soa_class]
#[derive(Clone)]
pub struct Watcher {
    pub seen: u32,
    pub other: Link<Watcher>,
    pub at: MoverLink,
    pub next: Option<MoverLink>,
    pub both: [MoverLink; 2],
    #[inline_array]
    pub slots: [MoverLink; 2],
    #[inline_array(1)]
    pub list: InnerArray<Option<MoverLink>>,
}

#[soa_methods]
impl Watcher {
    #[kernel]
    pub fn watch(&mut self) {
        self.seen = self.at.way()
            + self.next.map_or(0, |mover| mover.way())
            + self.both.iter().map(|mover| mover.way()).sum::<u32>()
            + self.slots.iter().map(|mover| mover.way()).sum::<u32>()
            + self.list.iter().flatten().map(|mover| mover.way()).sum::<u32>();
    }
    /// Uses no field with such links, so views show placeholders for them.
    #[kernel(snapshot(seen))]
    pub fn copy(&mut self) {
        self.seen = 1 + self.other.twice();
    }
    pub fn twice(&self) -> u32 {
        2 * self.seen
    }
    #[kernel]
    pub fn store(&mut self, mover: MoverLink) {
        self.slots[1] = mover;
    }
    #[kernel]
    pub fn ask(&mut self, mover: MoverLink) {
        self.seen = self.resolve(mover).way();
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Street {
    pub cars: Objects<Car>,
    pub walkers: Objects<Walker>,
    pub watchers: Objects<Watcher>,
}

fn car(id: u32) -> MoverLink {
    Link::<Car>::from_id(id).unwrap().into()
}

fn walker(id: u32) -> MoverLink {
    Link::<Walker>::from_id(id).unwrap().into()
}

/// All watchers watch this one.
fn street(cars: u32, walkers: u32, watched: MoverLink) -> Street {
    let mut street = Street::new();
    street.cars.extend((0..cars).map(|n| Car { km: n + 1 })).unwrap();
    street.walkers.extend((0..walkers).map(|n| Walker { km: n + 1 })).unwrap();
    street.watchers.extend((0..5).map(|_| watcher(watched))).unwrap();
    street
}

fn watcher(at: MoverLink) -> Watcher {
    let other = Link::from_id(1).unwrap();
    Watcher { seen: 0, other, at, next: Some(at), both: [at; 2], slots: [at; 2], list: [Some(at), None].into() }
}

fn message(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    panic.downcast_ref::<String>().cloned().unwrap_or_default()
}

fn refused(street: &mut Street) -> Error {
    let error = street.on(Place::Host).execute(Watcher::watch, ()).unwrap_err();
    let text = error.to_string();
    assert!(message(|| street.execute(Watcher::copy, ())).contains(&text));
    assert!(message(|| street.execute(Mover::step, ())).contains(&text));
    assert!(message(|| street.over(..1).execute(Watcher::watch, ())).contains(&text));
    assert!(message(|| street.over(&LinkList::new(&[]).unwrap()).execute(Watcher::watch, ())).contains(&text));
    error
}

#[test]
fn whoever_writes_a_bad_link_is_told_before_the_next_kernel() {
    type Write = fn(&mut Street, Link<Watcher>, MoverLink);
    let ways: [(&str, Write); 8] = [
        ("at", |street, to, mover| street.set(to, watcher::at, mover)),
        ("next", |street, to, mover| street.watchers.column_mut(watcher::next)[to.index()] = Some(mover)),
        ("both", |street, to, mover| street.watchers.column_mut(watcher::both)[to.index()][1] = mover),
        ("slots", |street, to, mover| street.watchers.slot_mut(watcher::slots, 1)[to.index()] = mover),
        ("slots", |street, to, mover| street.get_mut(to).slots[0] = mover),
        ("list", |street, to, mover| street.watchers.set_array(watcher::list, to, &[None, Some(mover)]).unwrap()),
        ("at", |street, to, mover| {
            street.watchers.write(to, Watcher { at: mover, ..watcher(walker(1)) }).unwrap();
        }),
        ("slots", |street, _, mover| {
            assert!(message(|| street.execute(Watcher::store, mover)).contains("does not belong to this world"));
        }),
    ];
    for (n, (field, write)) in ways.into_iter().enumerate() {
        // The first class may have no objects.
        for (cars, bad, class) in [(0, car(1), "Car"), (2, car(3), "Car"), (0, walker(4), "Walker")] {
            let mut street = street(cars, 3, walker(1));
            street.execute(Watcher::watch, ());
            assert_eq!(street.watchers.column(watcher::seen), [7; 5]);
            let third = Link::from_id(3).unwrap();
            write(&mut street, third, bad);
            let error = refused(&mut street);
            let len = if class == "Car" { cars } else { 3 } as usize;
            let Error::BadLink { class: "Watcher", field: named, object, target, id, len: counted } = error else {
                panic!("way {n}: {error}")
            };
            // The kernel stores it in all objects, or in those before the panic.
            let first = if n == 7 { 1 } else { 3 };
            assert_eq!((named, object, target, id as usize, counted), (field, first, class, len + 1, len), "way {n}");
            for watched in street.watchers.links() {
                street.watchers.write(watched, watcher(walker(3))).unwrap();
            }
            street.execute(Watcher::watch, ());
            assert_eq!(street.watchers.column(watcher::seen), [21; 5]);
        }
    }
}

#[test]
fn fields_that_a_kernel_does_not_name_need_no_object_of_the_first_class() {
    for (cars, walkers, watched, way) in [(0, 1, walker(1), 1), (1, 0, car(1), 100), (2, 2, walker(2), 2)] {
        let mut street = street(cars, walkers, watched);
        street.execute(Watcher::copy, ());
        street.execute(Watcher::copy, ());
        assert_eq!(street.watchers.column(watcher::seen), [3; 5]);
        assert_eq!(street.watchers.copy_column(watcher::at), [watched; 5]);
        street.execute(Watcher::watch, ());
        assert_eq!(street.watchers.column(watcher::seen), [7 * way; 5]);
    }
}

#[test]
fn worlds_whose_objects_are_exchanged_are_checked_again() {
    let (mut large, mut small) = (street(9, 9, car(9)), street(2, 9, walker(9)));
    large.execute(Watcher::watch, ());
    small.execute(Watcher::watch, ());
    std::mem::swap(&mut large.cars, &mut small.cars);
    small.execute(Watcher::watch, ());
    let error = refused(&mut large);
    assert!(matches!(error, Error::BadLink { object: 1, target: "Car", id: 9, len: 2, .. }), "{error}");
    std::mem::swap(&mut large.cars, &mut small.cars);
    large.execute(Watcher::watch, ());
    assert_eq!(large.watchers.column(watcher::seen), [6300; 5]);
    small.execute(Watcher::watch, ());
}

#[test]
fn arguments_are_checked_at_the_call() {
    let mut street = street(1, 3, walker(1));
    for bad in [car(2), walker(4)] {
        let error = street.on(Place::Host).execute(Watcher::ask, bad).unwrap_err();
        assert!(matches!(error, Error::NotInWorld { .. }), "{error}");
        assert!(message(|| street.execute(Watcher::ask, bad)).contains("does not belong to this world"));
    }
    street.execute(Watcher::ask, car(1));
    assert_eq!(street.watchers.column(watcher::seen), [100; 5]);
}
