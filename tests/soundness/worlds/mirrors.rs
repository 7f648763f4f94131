//! A mirror that plays the device, and counts what is copied when.

use std::any::Any;
use std::slice;
use std::sync::{Arc, Mutex};

use ikra::FieldSet;
use ikra::prelude::*;
use ikra::rt::{AnyObjects, Mirror, Unit};

#[soa_class]
pub struct Town {
    pub people: u32,
    #[atomic]
    #[inline_array(0)]
    pub counts: InnerArray<u32>,
    #[inline_array(1)]
    pub a: InnerArray<u32>,
    #[inline_array(0)]
    pub b: InnerArray<u32>,
}

#[soa_class(layout = "aos")]
pub struct Village {
    pub people: u32,
    #[inline_array(0)]
    pub a: InnerArray<u32>,
    #[atomic]
    pub hits: u32,
}

#[soa_class]
pub struct Port {
    pub people: u32,
    #[atomic]
    pub hits: u32,
}

#[soa_methods]
impl Port {
    pub fn double(&self) -> u32 {
        self.people * 2
    }
}

#[soa_world]
pub struct Land {
    pub ports: Objects<Port>,
    pub towns: Objects<Town>,
    pub villages: Objects<Village>,
}

/// Copies of units as a device has them, and the fields of those that were fetched, one entry a fetch.
#[derive(Clone, Debug, Default)]
struct Device(Arc<Mutex<(Vec<(usize, Vec<u8>)>, Vec<u64>)>>);

// SAFETY: `fetch` writes to the units alone, no more than their lengths.
unsafe impl Mirror for Device {
    fn fetch(&self, units: &[Unit]) -> Result<(), ikra::Error> {
        let mut device = self.0.lock().unwrap();
        let mut fields = 0;
        for unit in units {
            fields |= unit.fields.bits();
            let bytes = device.0.iter().find(|copy| copy.0 == unit.column).unwrap().1.clone();
            assert_eq!(bytes.len(), unit.bytes_of_objects());
            let mut rest = &bytes[..];
            for column in 0..unit.columns {
                let (piece, others) = rest.split_at(unit.len);
                // SAFETY: the unit's column has `len` bytes.
                unsafe { unit.start.add(column * unit.pitch).copy_from_nonoverlapping(piece.as_ptr(), unit.len) };
                rest = others;
            }
        }
        device.1.push(fields);
        Ok(())
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

trait OfObjects {
    fn bytes_of_objects(&self) -> usize;
}
impl OfObjects for Unit {
    fn bytes_of_objects(&self) -> usize {
        self.columns * self.len
    }
}

/// Plays a kernel that changes some fields on the device: what is in the arena is increased by 100.
fn launch(objects: &mut dyn AnyObjects, writes: u64) -> Device {
    let device = Device::default();
    objects.fetch_all().unwrap();
    let arena = objects.columns() - 1;
    let copies = objects.units().into_iter().map(|unit| {
        let mut bytes = Vec::new();
        for column in 0..unit.columns {
            // SAFETY: the unit's column has `len` bytes, and the objects are borrowed exclusively.
            bytes.extend_from_slice(unsafe { slice::from_raw_parts(unit.start.add(column * unit.pitch), unit.len) });
        }
        if unit.column == arena {
            for number in bytes.chunks_exact_mut(4) {
                let changed = u32::from_ne_bytes(number.try_into().unwrap()) + 100;
                number.copy_from_slice(&changed.to_ne_bytes());
            }
        }
        (unit.column, bytes)
    });
    device.0.lock().unwrap().0 = copies.collect();
    // SAFETY: the mirror has copies of the objects' units, with what the "kernel" changed.
    unsafe {
        *objects.mirror() = Some(Box::new(device.clone()));
        objects.uploaded(FieldSet::ALL);
        objects.changed_on_device(FieldSet::from_bits(writes));
    }
    device
}

fn land() -> (Land, Link<Town>, Link<Village>) {
    let mut land = Land::new();
    let town =
        land.towns.push(Town { people: 1, counts: [2, 3].into(), a: [9, 4, 5].into(), b: [6, 7].into() }).unwrap();
    let village = land.villages.push(Village { people: 1, a: [1, 2].into(), hits: 3 }).unwrap();
    (land, town, village)
}

/// All arrays in the arena are copied together, so they are fetched together, once.
#[test]
fn an_arena_is_fetched_once_whichever_array_is_read() {
    let (mut land, town, _) = land();
    // The kernel changed `a` alone.
    let device = launch(&mut land.towns, 1 << 2);
    let counts = land.get(town).counts();
    counts.get(0).store(5);
    let b = land.get(town).b();
    let first = b.get(0);
    assert_eq!(land.get(town).a().iter().collect::<Vec<_>>(), [9, 104, 105]);
    // What the host stored is still there, and what it borrowed was not written under it.
    assert_eq!(counts.get(0).load(), 5);
    assert_eq!((first, land.get(town).b()[0]), (b.get(0), 106));
    let fetched = device.0.lock().unwrap().1.clone();
    assert_eq!(fetched.iter().filter(|fields| **fields & 0b1110 != 0).count(), 1, "{fetched:?}");
}

/// What the host changes in the arena is copied to the device with all that is there.
#[test]
fn a_change_in_the_arena_is_one_of_all_arrays_there() {
    let (mut land, town, _) = land();
    launch(&mut land.towns, 1 << 3);
    land.get(town).counts().get(1).store(8);
    assert_eq!(land.towns.changed_on_host().bits(), 0b1110);
    assert_eq!(land.towns.read(town).unwrap().b[..], [106, 107]);
}

/// Fields that share one block are fetched together.
#[test]
fn a_block_is_fetched_once_whichever_field_is_read() {
    let (mut land, _, village) = land();
    let device = launch(&mut land.villages, 1 << 1);
    land.get(village).hits().store(7);
    assert_eq!(land.get(village).a().iter().collect::<Vec<_>>(), [101, 102]);
    assert_eq!((land.get(village).hits().load(), land.get(village).people()), (7, 1));
    assert_eq!(device.0.lock().unwrap().1.len(), 1);
}

/// What the host is said to have changed it has fetched, also where a view has an atomic field that nobody asks for:
/// a device would be given the old value otherwise.
#[test]
fn a_field_changes_where_its_last_value_is() {
    let (mut land, ..) = land();
    let port = land.ports.push(Port { people: 4, hits: 1 }).unwrap();
    let device = launch(&mut land.ports, 0b10);
    assert_eq!(land.get(port).double(), 8);
    let changed = land.ports.changed_on_host().bits();
    let fetched = device.0.lock().unwrap().1.iter().fold(0, |all, fields| all | fields);
    assert_eq!(changed & 0b10 & !fetched, 0, "changed {changed:b}, fetched {fetched:b}");
}

/// Several threads read what the device changed: one of them fetches it.
#[test]
fn threads_that_read_fetch_once() {
    for _ in 0..50 {
        let (mut land, town, _) = land();
        let device = launch(&mut land.towns, 0b1110);
        std::thread::scope(|scope| {
            for thread in 0..4 {
                let land = &land;
                scope.spawn(move || match thread % 2 {
                    0 => assert_eq!(land.get(town).a().iter().collect::<Vec<_>>(), [9, 104, 105]),
                    _ => assert_eq!(land.get(town).counts().get(1).load(), 103),
                });
            }
        });
        assert_eq!(device.0.lock().unwrap().1.len(), 1);
    }
}
