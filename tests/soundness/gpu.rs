//! A device that has failed: nobody is shown old values.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::FieldSet;
use ikra::prelude::*;
use ikra::rt::{AnyObjects, Mirror, Unit};

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
        Err(ikra::Error::Gpu(ikra::GpuError::DeviceLost {
            kernel: "kernel `Town::grow`".into(),
            reason: "it panicked".into(),
        }))
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Says that a device which has failed changed some fields.
fn lose(towns: &mut dyn AnyObjects, fields: FieldSet) {
    // SAFETY: what is said to be on the device is never fetched: it has failed.
    unsafe {
        *towns.mirror() = Some(Box::new(Broken));
        towns.uploaded(FieldSet::ALL);
        towns.changed_on_device(fields);
    }
}

/// A world whose `people` a kernel changed on a device, which then failed.
fn land() -> (Land, Link<Town>) {
    let mut land = Land::new();
    let town = land.towns.push(Town { people: 7, height: 0.5 }).unwrap();
    lose(&mut land.towns, FieldSet::from_bits(1));
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
        let error = land.on(ikra::Place::Host).execute(Town::grow, ()).unwrap_err().to_string();
        assert!(error.contains("`Town::grow`") && error.contains("cuda_accept_loss"), "{error}");
        fails(|| land.towns.column_mut(town::people)[0] = 1);
        assert!(land.towns.fetch_all().is_err());
        assert_eq!(land.towns.newer_on_device().bits(), 1);
    }
    assert_eq!(land.towns.column(town::height), [0.5], "this was never there");
    assert_eq!(land.get(town).height(), 0.5);
    // SAFETY: the last values are lost, as is tested here.
    unsafe { land.towns.lose_device() };
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
