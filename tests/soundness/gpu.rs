//! A device that has failed: nobody is shown old values.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::rt::{AnyObjects, FieldSet, Mirror, Unit, Visitor};

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
        Err(ikra::Error::DeviceLost { kernel: "kernel `Town::grow`".into(), reason: "it panicked".into() })
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

fn with_objects(towns: &mut Objects<Town>, mut work: impl FnMut(&mut dyn AnyObjects)) {
    // SAFETY: what is said to be on the device cannot be fetched, and nothing is added.
    unsafe { Visitor::new(&mut work) }.visit(towns);
}

/// A world whose `people` a kernel changed on a device, which then failed.
fn land() -> (Land, Link<Town>) {
    let mut land = Land::new();
    let town = land.towns.push(Town { people: 7, height: 0.5 }).unwrap();
    with_objects(&mut land.towns, |objects| {
        *objects.mirror() = Some(Box::new(Broken));
        objects.uploaded(FieldSet::ALL);
        objects.changed_on_device(FieldSet::from_bits(1));
    });
    (land, town)
}

fn fails<T>(work: impl FnOnce() -> T) {
    let panic = catch_unwind(AssertUnwindSafe(|| drop(work()))).unwrap_err();
    let text = panic.downcast::<String>().unwrap();
    for part in ["class Town", "`Town::grow`", "it panicked", "cuda_accept_loss"] {
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
        fails(|| land.towns.column_mut(town::people)[0] = 1);
        with_objects(&mut land.towns, |objects| {
            assert!(objects.fetch_all().is_err());
            assert_eq!(objects.newer_on_device().bits(), 1);
        });
    }
    assert_eq!(land.towns.column(town::height), [0.5], "this was never there");
    assert_eq!(land.get(town).height(), 0.5);
    with_objects(&mut land.towns, |objects| objects.lose_device());
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
    with_objects(&mut land.towns, |objects| {
        *objects.mirror() = Some(Box::new(Broken));
        objects.changed_on_device(FieldSet::ALL);
    });
    assert!(land.towns.column(town::people).is_empty());
    land.execute(Town::grow, ());
}
