//! A mirror that plays the device, and records every copy.

use std::any::Any;
use std::slice;
use std::sync::{Arc, Mutex};

use ikra::prelude::*;
use ikra::{Class, FieldSet};
use ikra_runtime::mirror::{Mirror, Unit};
use ikra_runtime::objects::AnyObjects;

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

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Way {
    pub from: u32,
    pub to: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Ship {
    pub place: u32,
    pub load: u64,
    #[soa(flatten)]
    pub way: Way,
    pub flag: u8,
}

#[soa_methods]
impl Ship {
    pub fn total(&self) -> u64 {
        self.load.wrapping_add(u64::from(self.place))
    }
}

#[soa_world]
pub struct Land {
    pub ports: Objects<Port>,
    pub towns: Objects<Town>,
    pub villages: Objects<Village>,
    pub ships: Objects<Ship>,
}

/// Copies of units as on a device; the fetched fields, one entry per fetch; and the copy's number, count and capacity
/// when it was last complete.
#[derive(Clone, Debug, Default)]
struct Device(Arc<Mutex<(Vec<(usize, Vec<u8>)>, Vec<u64>, Option<(u64, u32, usize)>)>>);

// SAFETY: `fetch` writes only to the units, within their lengths.
unsafe impl Mirror for Device {
    fn fetch(&self, units: &[Unit]) -> Result<(), ikra::Error> {
        let mut device = self.0.lock().unwrap();
        let mut fields = 0;
        for unit in units {
            fields |= unit.fields.bits();
            let bytes = &device.0.iter().find(|copy| copy.0 == unit.column).unwrap().1;
            let len = bytes.len() / unit.columns;
            for column in 0..unit.columns {
                let piece = &bytes[column * len..][..len][unit.offset..][..unit.len];
                // SAFETY: the unit's column has `len` bytes.
                unsafe { unit.start.add(column * unit.pitch).copy_from_nonoverlapping(piece.as_ptr(), unit.len) };
            }
        }
        device.1.push(fields);
        Ok(())
    }
    fn as_any(&mut self) -> &mut dyn Any {
        self
    }
}

/// Plays a kernel that changes some fields on the device: arena values increase by 100.
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
    // SAFETY: the mirror holds copies of the objects' units, with the changes of the "kernel". It is the first copy.
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

/// All arrays in the arena are copied together, once.
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
    // The host's stores are kept, and borrowed data was not overwritten.
    assert_eq!(counts.get(0).load(), 5);
    assert_eq!((first, land.get(town).b()[0]), (b.get(0), 106));
    let fetched = device.0.lock().unwrap().1.clone();
    assert_eq!(fetched.iter().filter(|fields| **fields & 0b1110 != 0).count(), 1, "{fetched:?}");
}

/// After the host changes the arena, the whole arena is copied to the device.
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

/// Fields that the host marks as changed must be fetched first, including an unused atomic field of a view. Otherwise a
/// device would receive the stale value.
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

/// Several threads read a field that the device changed: one of them fetches it.
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

/// Whether the copy is known to be complete.
fn is_complete(objects: &dyn AnyObjects, device: &Device) -> bool {
    let known = device.0.lock().unwrap().2;
    known.is_some_and(|(number, count, capacity)| objects.is_complete(number, count, capacity))
}

/// The preparation that a device executor makes before a kernel: it uploads all stale fields. If the copy is known to
/// be complete, no check is needed.
fn prepare(objects: &mut dyn AnyObjects, stream: u64, device: &Device) -> usize {
    if is_complete(objects, device) {
        assert!(objects.copies().missing(stream).is_empty());
        assert_eq!(objects.copies().streams().collect::<Vec<_>>(), [stream]);
        return 0;
    }
    if objects.copies().streams().all(|known| known != stream) {
        // SAFETY: this stream has no copy yet.
        unsafe { objects.copies().add(stream, Box::new(device.clone())) };
    }
    let missing = objects.copies().missing(stream);
    objects.fetch(missing).unwrap();
    let (copies, _, complete) = &mut *device.0.lock().unwrap();
    let units = objects.units();
    let mut copied = 0;
    for unit in objects.copies().missing_units(stream, &units) {
        // SAFETY: the unit has `len` bytes, and the objects are borrowed exclusively.
        let bytes = unsafe { slice::from_raw_parts(unit.start, unit.len) };
        let place = copies.iter().position(|copy| copy.0 == unit.column).unwrap_or_else(|| {
            copies.push((unit.column, Vec::new()));
            copies.len() - 1
        });
        let known = &mut copies[place].1;
        known.resize(known.len().max(unit.offset + unit.len), 0);
        known[unit.offset..][..unit.len].copy_from_slice(bytes);
        copied += unit.len;
    }
    // SAFETY: they were just copied.
    unsafe { objects.copies().uploaded(stream, missing) };
    let number = objects.copies().completed(stream);
    *complete = number.map(|number| (number, objects.count(), objects.capacity()));
    copied
}

/// The change that a kernel makes to a byte of the `n`-th object.
fn changed(byte: u8, n: usize) -> u8 {
    byte.wrapping_mul(3).wrapping_add(n as u8)
}

fn changed_number(number: u32, n: usize) -> u32 {
    u32::from_ne_bytes(number.to_ne_bytes().map(|byte| changed(byte, n)))
}

/// Plays a kernel that changes one field of all objects on a prepared device.
fn change<C: Class>(objects: &mut Objects<C>, stream: u64, device: &Device, field: usize) {
    let len = objects.len();
    for unit in AnyObjects::units(objects).iter().filter(|unit| unit.fields.contains(field)) {
        let mut device = device.0.lock().unwrap();
        let bytes = &mut device.0.iter_mut().find(|copy| copy.0 == unit.column).unwrap().1;
        let size = unit.len / len;
        for (place, byte) in bytes.iter_mut().enumerate().take(unit.len) {
            *byte = changed(*byte, place / size);
        }
    }
    // SAFETY: it has values for all objects.
    unsafe { AnyObjects::copies(objects).changed(stream, FieldSet::from_bits(1 << field)) };
}

/// The same change for a plain struct.
fn change_row(ship: &mut Ship, n: usize, field: usize) {
    let number = |value: u32| changed_number(value, n);
    match field {
        0 => ship.place = number(ship.place),
        1 => ship.load = u64::from_ne_bytes(ship.load.to_ne_bytes().map(|byte| changed(byte, n))),
        2 => ship.way = Way { from: number(ship.way.from), to: number(ship.way.to) },
        _ => ship.flag = changed(ship.flag, n),
    }
}

/// Kernels on two devices, and host reads and writes of few or all objects, in any order, compared with plain structs.
#[test]
fn parts_of_columns_follow_their_last_values() {
    let mut random = 2024_u32;
    let mut draw = |below: usize| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) as usize % below
    };
    for round in 0..if cfg!(miri) { 1 } else { 24 } {
        // With few objects, whole columns are fetched; with many, also single objects.
        let count = if round % 2 == 0 { 1 + draw(40) } else { 70_000 + draw(200) };
        let row =
            |n: usize| Ship { place: n as u32, load: n as u64, way: Way { from: n as u32, to: 7 }, flag: n as u8 };
        let mut wanted: Vec<Ship> = (0..count).map(row).collect();
        let mut land = Land::new();
        let mut links: Vec<_> = land.ships.extend(wanted.iter().cloned()).unwrap().collect();
        let devices = [Device::default(), Device::default()];
        // With one device, its copy is known to be complete until the host writes.
        let devices = &devices[round % 3 / 2..];
        for step in 0..60 {
            let what = format!("round {round}, step {step}");
            let stream = draw(devices.len());
            // Some objects are drawn repeatedly.
            let n = if draw(3) == 0 { draw(wanted.len()) } else { draw(4) * wanted.len() / 4 };
            let (ship, value) = (links[n], draw(1000) as u32);
            match draw(17) {
                0..=2 => {
                    let (device, field) = (&devices[stream], draw(4));
                    prepare(&mut land.ships, stream as u64, device);
                    if devices.len() == 1 {
                        assert!(is_complete(&land.ships, device), "{what}");
                    }
                    change(&mut land.ships, stream as u64, device, field);
                    wanted.iter_mut().enumerate().for_each(|(n, ship)| change_row(ship, n, field));
                }
                3 => assert_eq!(land.get(ship).place(), wanted[n].place, "{what}"),
                4 => {
                    assert_eq!(
                        (land.get(ship).load(), land.get(ship).way()),
                        (wanted[n].load, wanted[n].way),
                        "{what}"
                    );
                }
                5 => assert_eq!(land.get(ship).total(), wanted[n].load.wrapping_add(wanted[n].place.into()), "{what}"),
                6 => assert_eq!(land.ships.read(ship).unwrap(), wanted[n], "{what}"),
                7 => {
                    land.get_mut(ship).load = value.into();
                    wanted[n].load = value.into();
                }
                8 => {
                    land.set(ship, ship::flag, value as u8);
                    wanted[n].flag = value as u8;
                }
                9 => {
                    let row = Ship { place: value, load: 1, way: Way { from: value, to: 1 }, flag: 2 };
                    land.ships.write(ship, row.clone()).unwrap();
                    wanted[n] = row;
                }
                10 => {
                    land.ships.column_mut(ship::place)[n] = value;
                    wanted[n].place = value;
                }
                11 => {
                    let row = row(value as usize);
                    links.push(land.ships.push(row.clone()).unwrap());
                    wanted.push(row);
                }
                14 => {
                    // One push at a time into storage that is full or not; the last two are added together.
                    let rows = [value, value + 1, value + 2].map(|n| row(n as usize));
                    links.extend(land.ships.extend(rows.iter().filter(|_| true).cloned()).unwrap());
                    wanted.extend(rows);
                }
                15 => {
                    let sum = |place: u64, ship: &Ship| place + u64::from(ship.place);
                    for (ship, wanted) in land.all::<Ship>().zip(&wanted).skip(draw(wanted.len())) {
                        assert_eq!((ship.flag(), ship.total()), (wanted.flag, total(wanted)), "{what}");
                    }
                    let all = land.all::<Ship>();
                    assert_eq!((all.len(), land.all::<Ship>().count()), (wanted.len(), wanted.len()), "{what}");
                    assert_eq!(
                        all.map(|ship| u64::from(ship.place())).sum::<u64>(),
                        wanted.iter().fold(0, sum),
                        "{what}"
                    );
                }
                16 => {
                    for (ship, wanted) in land.ships.iter().zip(&wanted).skip(draw(wanted.len())).take(3) {
                        assert_eq!(ship, *wanted, "{what}");
                    }
                    let mut n = 0;
                    land.ships.iter().for_each(|ship| {
                        assert_eq!(ship, wanted[n], "{what}");
                        n += 1;
                    });
                }
                12 => std::thread::scope(|scope| {
                    for thread in 0..3 {
                        let (land, links, wanted) = (&land, &links, &wanted);
                        scope.spawn(move || {
                            let n = (n + 5 * thread) % wanted.len();
                            assert_eq!(land.get(links[n]).load(), wanted[n].load);
                            assert_eq!(land.get(links[n]).total(), wanted[n].load.wrapping_add(wanted[n].place.into()));
                            if thread == 2 {
                                assert_eq!(land.ships.column(ship::load)[n], wanted[n].load);
                            }
                        });
                    }
                }),
                _ => {
                    let fields = land.ships.copies().only_on(stream as u64);
                    AnyObjects::fetch(&mut land.ships, fields).unwrap();
                    // SAFETY: see above.
                    let lost = unsafe { land.ships.lose(stream as u64) };
                    assert!(lost.is_empty());
                    devices[stream].0.lock().unwrap().0.clear();
                }
            }
        }
        for (link, wanted) in links.into_iter().zip(wanted) {
            assert_eq!(land.ships.read(link).unwrap(), wanted, "round {round}");
        }
    }
}

fn total(ship: &Ship) -> u64 {
    ship.load.wrapping_add(ship.place.into())
}

#[soa_class]
pub struct Harbour {
    pub people: u32,
    #[atomic]
    pub visits: u32,
    #[atomic]
    #[inline_array]
    pub berths: [u32; 2],
}

#[soa_class]
pub struct Boat {
    pub at: Link<Harbour>,
    pub next: Option<Link<Boat>>,
    pub crew: u32,
    #[inline_array]
    pub calls: [Link<Harbour>; 2],
}

#[soa_world]
pub struct Coast {
    pub harbours: Objects<Harbour>,
    pub boats: Objects<Boat>,
}

fn coast() -> Coast {
    let mut coast = Coast::new();
    let harbours = (0..3).map(|people| Harbour { people, visits: 0, berths: [0; 2] });
    let at: Vec<_> = coast.harbours.extend(harbours).unwrap().collect();
    let boats = (0..6).map(|n| Boat {
        at: at[n % 3],
        next: Link::from_index((n + 1) % 6),
        crew: n as u32,
        calls: [at[0], at[n % 3]],
    });
    coast.boats.extend(boats).unwrap();
    coast
}

/// A loop over all objects checks once whether a device has newer values of them. Linked objects of other classes still
/// need a check.
#[test]
fn loops_over_all_objects_find_newer_values_behind_links() {
    let mut coast = coast();
    let device = Device::default();
    for round in 1..4_u32 {
        prepare(&mut coast.harbours, 1, &device);
        change(&mut coast.harbours, 1, &device, 0);
        let wanted = [0, 1, 2].map(|n| (0..round).fold(n as u32, |people, _| changed_number(people, n)));
        for (n, boat) in coast.all::<Boat>().enumerate() {
            let number = n as u32;
            assert_eq!((boat.crew(), boat.at().people()), (number, wanted[n % 3]), "round {round}");
            assert_eq!(boat.next().unwrap().at().people(), wanted[(n + 1) % 3]);
            for (call, wanted) in boat.calls().into_iter().zip([wanted[0], wanted[n % 3]]) {
                assert_eq!(call.people(), wanted);
            }
            let harbours = boat.all::<Harbour>().map(|harbour| harbour.people());
            assert!(harbours.eq(wanted));
        }
        // And again, with everything on the host.
        assert!(coast.harbours.copies().only_on(1).is_empty());
        for (n, boat) in coast.all::<Boat>().enumerate() {
            assert_eq!(boat.at().people(), wanted[n % 3]);
        }
    }
}

/// A device learns about stores to atomic fields in a loop over all objects, even if its copy had no current field.
#[test]
fn devices_learn_what_loops_store_to_atomic_fields() {
    for behind_links in [false, true] {
        let mut coast = coast();
        let device = Device::default();
        prepare(&mut coast.harbours, 1, &device);
        if behind_links {
            for boat in coast.all::<Boat>() {
                boat.at().visits().add(1);
            }
        } else {
            for harbour in coast.all::<Harbour>() {
                harbour.visits().store(5);
            }
        }
        assert_eq!(coast.harbours.copies().missing(1).bits() & 0b111, 0b10);
        prepare(&mut coast.harbours, 1, &device);
        if behind_links {
            for boat in coast.all::<Boat>() {
                boat.at().berths().get(1).add(1);
            }
        } else {
            for harbour in coast.all::<Harbour>() {
                harbour.berths().get(1).store(5);
            }
        }
        assert_eq!(coast.harbours.copies().missing(1).bits() & 0b111, 0b100);
        // A host write fetches the device's changes first.
        prepare(&mut coast.harbours, 1, &device);
        change(&mut coast.harbours, 1, &device, 1);
        let before = if behind_links { 2 } else { 5 };
        for (n, harbour) in coast.all::<Harbour>().enumerate() {
            assert_eq!(harbour.visits().fetch_add(1), changed_number(before, n));
        }
    }
}

/// If the host changes or reads a few objects, only these are copied.
#[test]
fn few_objects_move_alone() {
    const N: usize = 100_000;
    let mut land = Land::new();
    let row = |n: usize| Ship { place: n as u32, load: n as u64, way: Way { from: n as u32, to: 7 }, flag: n as u8 };
    let links: Vec<_> = land.ships.extend((0..N).map(row)).unwrap().collect();
    let device = Device::default();
    let copied = |land: &mut Land| prepare(&mut land.ships, 1, &device);
    assert_eq!(copied(&mut land), N * (4 + 8 + 8 + 1));
    assert_eq!(copied(&mut land), 0);
    land.set(links[500], ship::flag, 3);
    assert_eq!(copied(&mut land), 1);
    land.get_mut(links[7]).place += 1;
    land.get_mut(links[9]).place += 1;
    assert_eq!(copied(&mut land), 3 * 21, "from the first to the last");
    land.ships.push(row(0)).unwrap();
    assert_eq!(copied(&mut land), 21);
    land.get_mut(links[0]).flag = 1;
    land.get_mut(links[N - 1]).flag = 1;
    assert_eq!(copied(&mut land), (N + 1) * 21, "most of it");
    land.ships.column_mut(ship::place)[3] = 1;
    land.set(links[5], ship::load, 3);
    assert_eq!(copied(&mut land), (N + 1) * 4 + 8);

    change(&mut land.ships, 1, &device, 1);
    let fetches = || std::mem::take(&mut device.0.lock().unwrap().1).len();
    fetches();
    let value = |n: u64, place: u8| u64::from_ne_bytes(n.to_ne_bytes().map(|byte| changed(byte, place.into())));
    assert_eq!(land.get(links[20]).load(), value(20, 20));
    assert_eq!((land.get(links[20]).load(), land.get(links[20]).total()), (value(20, 20), value(20, 20) + 20));
    assert_eq!(land.ships.read(links[20]).unwrap().load, value(20, 20));
    assert_eq!(fetches(), 1, "one object, once");
    assert!(!land.ships.table_is_here(), "the column is on the device");
    assert_eq!(land.get(links[99]).load(), value(99, 99));
    assert_eq!(fetches(), 1, "another one");
    (0..100).for_each(|n| assert_eq!(land.get(links[n]).load(), value(if n == 5 { 3 } else { n as u64 }, n as u8)));
    assert!(land.ships.table_is_here(), "fetched as a whole");
    assert!(fetches() <= 6, "several, and then all");
    assert_eq!(copied(&mut land), 0, "the device has it too");
    // A column that is read very often is fetched completely.
    change(&mut land.ships, 1, &device, 1);
    (0..10_000).for_each(|_| assert_eq!(land.get(links[20]).load(), value(value(20, 20), 20)));
    assert!(land.ships.table_is_here() && fetches() == 2);
}

trait IsHere {
    fn table_is_here(&mut self) -> bool;
}

impl IsHere for Objects<Ship> {
    /// Whether the host is current for all objects.
    fn table_is_here(&mut self) -> bool {
        AnyObjects::copies(self).only_on(1).is_empty()
    }
}

/// Kernels on three devices and on the host, in any order: each sees the previous one's writes.
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
                // A kernel on the device computes one column from both columns.
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
                // The host reads, and may write.
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
                // A device is removed; fields that only it holds are fetched first.
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

/// A device that cannot be read.
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

/// Fields of a broken device are lost only if no other device holds them too.
#[test]
fn a_second_device_has_what_is_lost_on_the_first() {
    let mut land = Land::new();
    let port = land.ports.push(Port { people: 4, hits: 1 }).unwrap();
    // SAFETY: the broken device is never fetched from. The other one has values of all objects.
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
    // SAFETY: the values are lost, which this test expects.
    let lost = unsafe { land.ports.lose(9) };
    assert_eq!((lost.bits(), land.get(port).hits().load()), (0b10, 11));
}
