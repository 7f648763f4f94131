//! A failed device: stale values are never shown.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::FieldSet;
use ikra::prelude::*;
use ikra_runtime::mirror::{Mirror, Unit};
use ikra_runtime::objects::AnyObjects;

#[soa_class]
pub struct Town {
    pub people: u32,
    pub height: f32,
}
#[soa_methods]
impl Town {
    #[kernel]
    pub fn grow(&mut self) {
        self.people += 1;
    }
}
#[soa_world]
pub struct Land {
    pub towns: Objects<Town>,
}

#[derive(Debug)]
struct Broken;

// SAFETY: `fetch` writes nothing.
unsafe impl Mirror for Broken {
    fn fetch(&self, _: &[Unit]) -> Result<(), ikra::Error> {
        Err(ikra::Error::Gpu(ikra::gpu::GpuError::DeviceLost {
            kernel: "kernel `Town::grow`".into(),
            reason: "it panicked".into(),
        }))
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Marks some fields as changed by a failed device.
fn lose(towns: &mut dyn AnyObjects, fields: FieldSet) {
    // SAFETY: the fields marked as current on the device are never fetched, because the device has failed.
    unsafe {
        towns.copies().add(1, Box::new(Broken));
        towns.copies().uploaded(1, FieldSet::ALL);
        towns.copies().changed(1, fields);
    }
}

/// A world after a kernel changed `people` on a device that then failed.
fn land() -> (Land, Link<Town>) {
    let mut land = Land::new();
    let town = land.towns.push(Town { people: 7, height: 0.5 }).unwrap();
    lose(&mut land.towns, FieldSet::from_bits(1));
    (land, town)
}

fn fails<T>(work: impl FnOnce() -> T) {
    fails_in("Town", work);
}

fn fails_in<T>(class: &str, work: impl FnOnce() -> T) {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(work()))).unwrap_err();
    let text = panic.downcast::<String>().unwrap();
    for part in [&format!("class {class}"), "`Town::grow`", "it panicked", "accept_loss"] {
        assert!(text.contains(part), "{part} is not in: {text}");
    }
}

#[test]
fn a_lost_column_is_never_shown() {
    let (mut land, town) = land();
    for _ in 0..3 {
        fails(|| land.towns.column(town::people)[0]);
        fails(|| land.get(town).people());
        fails(|| land.towns.read(town).map(|row| row.people));
        fails(|| land.execute(Town::grow, ()));
        let error = land.on(ikra::Place::Host).execute(Town::grow, ()).unwrap_err().to_string();
        assert!(error.contains("`Town::grow`") && error.contains("accept_loss"), "{error}");
        fails(|| land.towns.column_mut(town::people)[0] = 1);
        assert!(AnyObjects::fetch(&mut land.towns, FieldSet::ALL).is_err());
        assert_eq!(land.towns.copies().only_on(1).bits(), 1);
    }
    assert_eq!(land.towns.column(town::height), [0.5], "this was never there");
    assert_eq!(land.get(town).height(), 0.5);
    // SAFETY: the current values are lost, which this test expects.
    unsafe { land.towns.lose(1) };
    assert_eq!(land.towns.column(town::people), [7]);
    land.execute(Town::grow, ());
    assert_eq!(land.get(town).people(), 8);
}

#[test]
fn threads_are_not_shown_it_either() {
    let (land, town) = land();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    fails(|| land.get(town).people());
                    assert_eq!(land.get(town).height(), 0.5);
                }
            });
        }
    });
}

#[test]
fn a_class_without_objects_has_nothing_to_lose() {
    let mut land = Land::new();
    lose(&mut land.towns, FieldSet::ALL);
    assert!(land.towns.column(town::people).is_empty());
    land.execute(Town::grow, ());
}

#[soa_class]
pub struct Road {
    pub to: Link<Town>,
    pub lanes: u32,
}
#[soa_methods]
impl Road {
    #[kernel]
    pub fn measure(&mut self) {
        self.lanes += self.to.people();
    }
}
#[soa_world]
pub struct Map {
    pub towns: Objects<Town>,
    pub roads: Objects<Road>,
}

/// A device that has created objects with `lanes` lanes, and provides nothing else of them.
#[derive(Debug)]
struct Maker {
    lanes: u32,
}

// SAFETY: writes only to the given units, within their lengths.
unsafe impl Mirror for Maker {
    fn fetch(&self, units: &[Unit]) -> Result<(), ikra::Error> {
        if units.iter().any(|unit| unit.fields.bits() != 2) {
            return Broken.fetch(units);
        }
        for unit in units {
            for place in (0..unit.len).step_by(4) {
                // SAFETY: within the unit, whose start is on a multiple of 4.
                unsafe { unit.start.add(place).cast::<u32>().write(self.lanes) };
            }
        }
        Ok(())
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// A device makes roads.
fn make(roads: &mut dyn AnyObjects, count: usize, lanes: u32) {
    roads.make_room(roads.count() as usize + count).unwrap();
    // SAFETY: there is room, and the device's values of the new objects are fetched only from the mirror.
    unsafe {
        if roads.copies().streams().next().is_none() {
            roads.copies().add(1, Box::new(Maker { lanes }));
        }
        roads.copies().uploaded(1, FieldSet::ALL);
        roads.add(count);
        roads.copies().changed(1, FieldSet::ALL);
    }
}

#[test]
fn what_a_device_made_and_nobody_fetched_is_lost_as_something_that_may_be_looked_at() {
    for fetched in [0, 1, 2] {
        let mut map = Map::new();
        let town = map.towns.push(Town { people: 3, height: 1.0 }).unwrap();
        map.roads.push(Road { to: town, lanes: 9 }).unwrap();
        AnyObjects::make_room(&mut map.roads, 3000).unwrap();
        make(&mut map.roads, 2000, 4);
        let mut expected = [vec![9], vec![0; 2000]].concat();
        if fetched > 0 {
            expected = vec![4; 2001];
            assert_eq!(map.roads.column(road::lanes), expected);
        }
        if fetched > 1 {
            // Create further objects after some columns were fetched.
            make(&mut map.roads, 50, 6);
            expected.extend([0; 50]);
        }
        fails_in("Road", || assert_eq!(map.roads.links().filter(|&road| map.get(road).to().link() == town).count(), 0));
        // SAFETY: the current values are lost, which this test expects.
        unsafe { map.roads.lose(1) };
        assert_eq!(map.roads.column(road::lanes), expected);
        assert!(map.roads.iter().all(|road| road.to == town), "the placeholder is the link to the first object");
        map.execute(Road::measure, ());
        assert!(map.roads.column(road::lanes).iter().zip(&expected).all(|(now, before)| *now == before + 3));
    }
}

#[test]
fn what_a_device_was_to_make_and_did_not_is_the_hosts() {
    let mut map = Map::new();
    let town = map.towns.push(Town { people: 3, height: 1.0 }).unwrap();
    let roads: &mut dyn AnyObjects = &mut map.roads;
    roads.make_room(10).unwrap();
    // SAFETY: there is room, and the objects are removed again.
    unsafe {
        let first = roads.add(10);
        roads.truncate(first);
    }
    map.roads.extend((0..10).map(|lanes| Road { to: town, lanes })).unwrap();
    lose(&mut map.roads, FieldSet::from_bits(1));
    // SAFETY: the current values are lost, which this test expects.
    unsafe { map.roads.lose(1) };
    assert!(map.roads.iter().map(|road| road.lanes).eq(0..10));
}
