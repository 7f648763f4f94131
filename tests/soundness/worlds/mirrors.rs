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
    objects.fetch(FieldSet::ALL).unwrap();
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
    // SAFETY: the mirror has copies of the objects' units, with what the "kernel" changed. It is the first.
    unsafe {
        objects.copies().add(1, Box::new(device.clone()));
        objects.copies().uploaded(1, FieldSet::ALL);
        objects.copies().changed(1, FieldSet::from_bits(writes));
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
    assert_eq!(land.towns.copies().missing(1).bits(), 0b1110);
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
    let changed = land.ports.copies().missing(1).bits();
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

/// What an executor on a device does before a kernel: copies there what it has only old values of.
fn prepare(ports: &mut dyn AnyObjects, stream: u64, device: &Device) {
    if ports.copies().streams().all(|known| known != stream) {
        // SAFETY: there is none on this stream.
        unsafe { ports.copies().add(stream, Box::new(device.clone())) };
    }
    let missing = ports.copies().missing(stream);
    ports.fetch(missing).unwrap();
    let copies = &mut device.0.lock().unwrap().0;
    for unit in ports.units().iter().filter(|unit| !unit.fields.intersection(missing).is_empty()) {
        // SAFETY: the unit has `len` bytes, and the objects are borrowed exclusively.
        let bytes = unsafe { slice::from_raw_parts(unit.start, unit.len) };
        copies.retain(|copy| copy.0 != unit.column);
        copies.push((unit.column, bytes.to_vec()));
    }
    // SAFETY: they were just copied.
    unsafe { ports.copies().uploaded(stream, missing) };
}

/// Kernels on three devices and on the host, in any order: each sees what the last one wrote.
#[test]
fn columns_follow_their_last_values_from_device_to_device() {
    let mut random = 12345_u32;
    let mut draw = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 16) % below
    };
    for _ in 0..200 {
        let mut land = Land::new();
        let count = draw(4);
        let links: Vec<_> = (0..count).map(|n| land.ports.push(Port { people: n, hits: 7 * n }).unwrap()).collect();
        let mut wanted: Vec<[u32; 2]> = (0..count).map(|n| [n, 7 * n]).collect();
        let devices = [(); 3].map(|()| Device::default());
        for _ in 0..40 {
            let (stream, field) = (u64::from(draw(3)), draw(2) as usize);
            match draw(4) {
                // A kernel there changes one of the columns by both.
                0 | 1 => {
                    let device = &devices[stream as usize];
                    prepare(&mut land.ports, stream, device);
                    let mut device = device.0.lock().unwrap();
                    let column = |column: usize| device.0.iter().position(|copy| copy.0 == column).unwrap();
                    if count > 0 {
                        let (own, other) = (column(field), column(1 - field));
                        let read = |bytes: &[u8], n: usize| u32::from_ne_bytes(bytes[4 * n..][..4].try_into().unwrap());
                        for n in 0..count as usize {
                            let new = 3 * read(&device.0[own].1, n) % 1009 + read(&device.0[other].1, n);
                            device.0[own].1[4 * n..][..4].copy_from_slice(&new.to_ne_bytes());
                            wanted[n][field] = 3 * wanted[n][field] % 1009 + wanted[n][1 - field];
                        }
                    }
                    // SAFETY: it has values for all objects.
                    unsafe { land.ports.copies().changed(stream, FieldSet::from_bits(1 << field)) };
                }
                // The host reads, and perhaps writes.
                2 if count > 0 => {
                    let n = draw(count) as usize;
                    let mut row = land.ports.read(links[n]).unwrap();
                    assert_eq!([row.people, row.hits], wanted[n]);
                    if draw(2) == 0 {
                        row.people += 1;
                        wanted[n][0] += 1;
                        land.ports.write(links[n], row).unwrap();
                    }
                }
                // A device is given up. What only it has is fetched before.
                _ => {
                    let fields = land.ports.copies().only_on(stream);
                    AnyObjects::fetch(&mut land.ports, fields).unwrap();
                    // SAFETY: see above.
                    let lost = unsafe { land.ports.lose(stream) };
                    assert!(lost.is_empty());
                    devices[stream as usize].0.lock().unwrap().0.clear();
                }
            }
        }
        for (link, wanted) in links.into_iter().zip(wanted) {
            let row = land.ports.read(link).unwrap();
            assert_eq!([row.people, row.hits], wanted);
        }
    }
}

/// A device that cannot be asked.
#[derive(Debug)]
struct Broken;

// SAFETY: `fetch` writes nothing.
unsafe impl Mirror for Broken {
    fn fetch(&self, _: &[Unit]) -> Result<(), ikra::Error> {
        Err(ikra::Error::NotRecordable { what: "this".into() })
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// What a broken device has is lost only where no other has it too.
#[test]
fn a_second_device_has_what_is_lost_on_the_first() {
    let mut land = Land::new();
    let port = land.ports.push(Port { people: 4, hits: 1 }).unwrap();
    // SAFETY: the broken device is never fetched from. The other has values of all objects.
    unsafe { land.ports.copies().add(9, Box::new(Broken)) };
    let second = Device::default();
    prepare(&mut land.ports, 2, &second);
    // SAFETY: as above.
    unsafe {
        land.ports.copies().changed(2, FieldSet::from_bits(0b11));
        land.ports.copies().uploaded(9, FieldSet::from_bits(0b11));
    }
    second.0.lock().unwrap().0.iter_mut().for_each(|copy| copy.1[0] += 10);
    assert_eq!(land.ports.copies().only_on(9).bits(), 0);
    assert_eq!((land.ports.read(port).unwrap().people, land.get(port).hits().load()), (14, 11));
    // SAFETY: as above.
    unsafe { land.ports.copies().changed(9, FieldSet::from_bits(0b10)) };
    assert!(AnyObjects::fetch(&mut land.ports, FieldSet::ALL).is_err());
    assert_eq!(land.get(port).people(), 14, "another column");
    // SAFETY: that it is lost is tested here.
    let lost = unsafe { land.ports.lose(9) };
    assert_eq!((lost.bits(), land.get(port).hits().load()), (0b10, 11));
}
