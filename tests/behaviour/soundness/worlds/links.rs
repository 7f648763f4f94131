//! Invalid links: they are found before a kernel follows them, however they got into a column.

use std::panic::{AssertUnwindSafe, catch_unwind};

use ikra::prelude::*;
use ikra::{Error, Recording};
use proptest::prelude::*;

/// A link inside a value, which a view shows unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Hint {
    pub to: Link<Stop>,
    pub weight: u32,
}

/// Links to several classes, among other members.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Plan {
    pub number: u32,
    pub first: Option<Link<Ticket>>,
    pub hint: Hint,
    pub ends: [Option<Link<Stop>>; 2],
    pub last: Option<Link<Ticket>>,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Stop {
    pub people: u32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Bus {
    pub seen: u32,
    pub at: Link<Stop>,
    pub next: Option<Link<Stop>>,
    pub ends: [Option<Link<Stop>>; 2],
    #[inline_array]
    pub slots: [Link<Stop>; 2],
    #[inline_array(1)]
    pub route: InnerArray<Link<Stop>>,
    #[inline_array(object)]
    pub plan: [Link<Stop>; 2],
    pub hint: Hint,
    #[inline_array(1)]
    pub hints: InnerArray<Hint>,
    #[inline_array]
    pub both: [Hint; 2],
    pub all: Plan,
    #[soa(flatten)]
    pub spread: Hint,
    #[atomic]
    pub last: Option<Link<Stop>>,
}

#[soa_methods]
impl Bus {
    #[kernel]
    pub fn count(&mut self) {
        self.seen = self.at.people()
            + self.next.map_or(0, |stop| stop.people())
            + self.ends.iter().flatten().map(|stop| stop.people()).sum::<u32>()
            + self.slots.iter().map(|stop| stop.people()).sum::<u32>()
            + self.route.iter().map(|stop| stop.people()).sum::<u32>()
            + self.plan.iter().map(|stop| stop.people()).sum::<u32>()
            + self.resolve(self.hint.to).people()
            + self.hints.iter().map(|hint| self.resolve(hint.to).people()).sum::<u32>()
            + self.both.iter().map(|hint| self.resolve(hint.to).people()).sum::<u32>()
            + self.resolve(self.all.hint.to).people();
    }
    #[kernel]
    pub fn nothing(&mut self) {
        self.seen += 1;
    }
    #[kernel]
    pub fn ask(&mut self, stop: Link<Stop>) {
        self.seen = self.resolve(stop).people();
    }
    #[kernel]
    pub fn ask_ref(&mut self, stop: Ref<Stop>) {
        self.seen = stop.people();
    }
    #[kernel]
    pub fn ask_hint(&mut self, hint: Hint) {
        self.seen = self.resolve(hint.to).people();
    }
    #[kernel]
    pub fn follow_hints(&mut self) {
        self.seen = self.resolve(self.hint.to).people() + self.resolve(self.spread.to).people();
    }
    #[kernel]
    pub fn follow_atomic(&mut self) {
        self.seen = self.last.load().map_or(0, |stop| self.resolve(stop).people());
    }
    /// Stores a number as a link, in one of several ways.
    #[kernel]
    pub fn store(&mut self, way: u32, stop: Link<Stop>) {
        match way {
            0 => self.slots[1] = stop,
            1 => self.route[0] = stop,
            2 => self.plan.fill(stop),
            3 => self.slots.iter_mut().for_each(|slot| *slot = stop),
            4 => self.route.range_mut(..1).for_each(|slot| *slot = stop),
            5 => self.plan.as_mut_slice().unwrap()[1] = stop,
            6 => self.slots.copy_from_slice(&[stop, stop]),
            _ => {
                let mut given = stop;
                core::mem::swap(&mut self.route[0], &mut given);
            }
        }
    }
    /// Stores a struct with a number as a link, in one of several ways.
    #[kernel]
    pub fn store_hint(&mut self, way: u32, id: u32) {
        let stop = Link::from_id(id).unwrap();
        let hint = Hint { to: stop, weight: 1 };
        match way {
            0 => self.hint = hint,
            1 => self.hint.to = stop,
            2 => _ = core::mem::replace(&mut self.hint, hint),
            3 => self.all.hint = hint,
            4 => self.all.ends[1] = Some(stop),
            5 => self.hints[0] = hint,
            6 => self.hints[1].to = stop,
            7 => self.hints.set(1, hint),
            8 => self.both.set(0, hint),
            9 => self.both.iter_mut().for_each(|hint| hint.to = stop),
            _ => self.hints.swap(0, 1),
        }
        if way > 10 {
            self.hints.copy_from_slice(&[hint; 2]);
        }
    }
    /// As above, but returns early.
    #[kernel(snapshot(hint))]
    pub fn store_hint_and_leave(&mut self, id: u32) {
        self.hint.to = Link::from_id(id).unwrap();
        if self.seen < u32::MAX {
            return;
        }
        self.hint.to = self.at.link();
    }
    #[kernel(pairs)]
    pub fn exchange_hints(&mut self, other: Ref<Bus>, id: u32) {
        let weight = self.resolve(self.hint.to).people() + other.seen();
        self.hint = Hint { to: Link::from_id(id).unwrap(), weight };
    }
    /// As `store`, but reads its own write.
    #[kernel]
    pub fn store_and_look(&mut self, stop: Link<Stop>) {
        self.slots[1] = stop;
        self.seen = self.slots.get(1).people();
        self.slots[1] = self.at.link();
    }
    #[kernel]
    pub fn store_and_iterate(&mut self, stop: Link<Stop>) {
        self.slots[1] = stop;
        self.seen = self.slots.iter().map(|stop| stop.people()).sum();
        self.slots[1] = self.at.link();
    }
    /// Stores an invalid link permanently, then panics.
    #[kernel]
    pub fn store_and_panic(&mut self, stop: Link<Stop>) {
        self.slots[1] = stop;
        assert!(self.seen == u32::MAX, "on purpose");
    }
    #[kernel(snapshot(slots))]
    pub fn store_and_panic_in_snapshot(&mut self, stop: Link<Stop>) {
        self.slots[1] = stop;
        assert!(self.seen == u32::MAX, "on purpose");
    }
    /// Repairs the link before the call ends.
    #[kernel]
    pub fn store_and_mend(&mut self, stop: Link<Stop>) {
        self.slots[1] = stop;
        self.slots[1] = self.at.link();
    }
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Ticket {
    pub of: Link<Stop>,
    pub next: Option<Link<Ticket>>,
    pub people: u32,
}

#[soa_methods]
impl Ticket {
    #[kernel]
    pub fn new(id: u32, last: u32) -> Self {
        let next = if id == last { None } else { Link::from_id(id + 2) };
        Ticket { of: Link::from_id(id + 1).unwrap(), next, people: 0 }
    }
    #[kernel]
    pub fn look(&mut self) {
        self.people = self.of.people() + self.next.map_or(0, |next| next.of().people());
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Town {
    pub stops: Objects<Stop>,
    pub buses: Objects<Bus>,
    pub tickets: Objects<Ticket>,
}

/// The message of a panic.
fn message(run: impl FnOnce()) -> String {
    let panic = catch_unwind(AssertUnwindSafe(run)).unwrap_err();
    match panic.downcast_ref::<String>() {
        Some(text) => text.clone(),
        None => panic.downcast_ref::<&str>().map(ToString::to_string).unwrap_or_default(),
    }
}

fn stop(id: u32) -> Link<Stop> {
    Link::from_id(id).unwrap()
}

fn bus(at: Link<Stop>) -> Bus {
    let hint = Hint { to: at, weight: 1 };
    Bus {
        seen: 0,
        at,
        next: Some(at),
        ends: [None, Some(at)],
        slots: [at; 2],
        route: [at, at, at].into(),
        plan: [at; 2],
        hint,
        hints: [hint; 2].into(),
        both: [hint; 2],
        all: Plan { number: 7, first: None, hint, ends: [None, Some(at)], last: None },
        spread: hint,
        last: Some(at),
    }
}

fn town(stops: u32, buses: u32) -> Town {
    let mut town = Town::new();
    town.stops.extend((0..stops).map(|people| Stop { people })).unwrap();
    town.buses.extend((0..buses).map(|n| bus(stop(1 + n % stops)))).unwrap();
    town
}

/// The error that every executor returns instead of running a kernel, twice.
fn refused(town: &mut Town) -> Error {
    let first = town.on(ikra::Place::Host).execute(Bus::count, ()).unwrap_err();
    let links: Vec<_> = town.buses.links().collect();
    let text = first.to_string();
    assert!(message(|| town.execute(Bus::nothing, ())).contains(&text));
    assert!(message(|| town.over(&links).execute(Bus::nothing, ())).contains(&text));
    assert!(message(|| _ = town.execute_and_collect(Bus::nothing, ())).contains(&text));
    assert!(message(|| town.execute(Ticket::look, ())).contains(&text), "kernels of other classes follow links to it");
    first
}

/// Sequential code sees the stored links, and panics only if it follows a bad one.
fn mended(town: &mut Town) {
    town.execute(Bus::count, ());
    let counted = town.buses.copy_column(bus::seen);
    let sums = town.buses.iter().map(|bus| {
        let all = [Some(bus.at), bus.next].into_iter().chain(bus.ends).flatten();
        let all = all.chain(bus.slots).chain(bus.route.iter().copied()).chain(bus.plan);
        let hints = [bus.hint, bus.all.hint].into_iter().chain(bus.hints.iter().copied()).chain(bus.both);
        all.chain(hints.map(|hint| hint.to)).map(|stop| stop.id() - 1).sum::<u32>()
    });
    assert!(sums.eq(counted));
}

#[test]
fn whoever_writes_a_bad_link_is_told_before_the_next_kernel() {
    type Write = fn(&mut Town, Link<Bus>, Link<Stop>);
    let ways: [(&str, Write); 25] = [
        ("at", |town, bus, to| town.set(bus, bus::at, to)),
        ("next", |town, bus, to| town.set(bus, bus::next, Some(to))),
        ("ends", |town, bus, to| town.set(bus, bus::ends, [None, Some(to)])),
        ("at", |town, bus, to| town.buses.column_mut(bus::at)[bus.index()] = to),
        ("next", |town, bus, to| town.buses.column_mut(bus::next)[bus.index()] = Some(to)),
        ("plan", |town, bus, to| town.buses.column_mut(bus::plan)[bus.index()][1] = to),
        ("slots", |town, bus, to| town.buses.slot_mut(bus::slots, 1)[bus.index()] = to),
        ("route", |town, bus, to| town.buses.set_array(bus::route, bus, &[to]).unwrap()),
        ("route", |town, bus, to| {
            let rows: Vec<_> = town.buses.iter().map(|bus| bus.route).collect();
            let mut offsets = vec![0];
            let mut elements = Vec::new();
            for (n, row) in rows.iter().enumerate() {
                elements.extend(row.iter().copied());
                if n == bus.index() {
                    elements.push(to);
                }
                offsets.push(elements.len() as u32);
            }
            town.buses.set_arrays(bus::route, &offsets, &elements).unwrap();
        }),
        ("slots", |town, bus, to| town.get_mut(bus).slots[0] = to),
        ("route", |town, bus, to| town.get_mut(bus).route[2] = to),
        ("slots", |town, bus, to| town.get_mut(bus).slots.fill(to)),
        ("at", |town, bus, to| {
            let row = Bus { at: to, ..town.buses.read(bus).unwrap() };
            town.buses.write(bus, row).unwrap();
        }),
        ("hint", |town, bus, to| town.set(bus, bus::hint, Hint { to, weight: 2 })),
        ("hint", |town, bus, to| town.buses.column_mut(bus::hint)[bus.index()].to = to),
        ("hint", |town, bus, to| town.get_mut(bus).hint.to = to),
        ("all", |town, bus, to| town.get_mut(bus).all.hint.to = to),
        ("all", |town, bus, to| town.get_mut(bus).all.ends[0] = Some(to)),
        ("hints", |town, bus, to| town.get_mut(bus).hints[1].to = to),
        ("hints", |town, bus, to| town.buses.set_array(bus::hints, bus, &[Hint { to, weight: 2 }]).unwrap()),
        ("both", |town, bus, to| town.buses.slot_mut(bus::both, 1)[bus.index()].to = to),
        ("both", |town, bus, to| town.get_mut(bus).both.set(1, Hint { to, weight: 2 })),
        ("at", |town, _, to| _ = town.buses.push(Bus { at: to, ..bus(stop(1)) }).unwrap()),
        ("route", |town, _, to| {
            _ = town.buses.extend([bus(stop(1)), Bus { route: [to].into(), ..bus(stop(1)) }]).unwrap();
        }),
        ("at", |town, _, to| {
            let reserved = town.buses.reserve(1).unwrap().next().unwrap();
            town.buses.init(reserved, Bus { at: to, ..bus(stop(1)) }).unwrap();
        }),
    ];
    for (n, (field, write)) in ways.into_iter().enumerate() {
        let mut town = town(3, 5);
        mended(&mut town);
        let to = Link::from_index(2).unwrap();
        write(&mut town, to, stop(4));
        let error = refused(&mut town);
        let Error::BadLink { class: "Bus", field: named, object, target: "Stop", id: 4, len: 3 } = error else {
            panic!("way {n}: {error}")
        };
        assert_eq!((named, object), (field, if n < 22 { 3 } else { town.buses.len() as u32 }), "way {n}");
        // The target class grows, or the link is replaced.
        let mut grown = town.clone();
        grown.stops.push(Stop { people: 3 }).unwrap();
        mended(&mut grown);
        town.buses.write(Link::from_id(object).unwrap(), bus(stop(3))).unwrap();
        mended(&mut town);
    }
}

#[test]
fn a_clone_is_checked_by_itself() {
    let mut town = town(3, 5);
    mended(&mut town);
    let mut clone = town.clone();
    mended(&mut clone);
    town.set(Link::<Bus>::from_index(0).unwrap(), bus::at, stop(9));
    let mut clone = town.clone();
    refused(&mut clone);
    refused(&mut town);
}

#[test]
fn worlds_whose_objects_are_exchanged_are_checked_again() {
    for part in 0..3 {
        let (mut large, mut small) = (town(9, 20), town(2, 20));
        mended(&mut large);
        mended(&mut small);
        match part {
            // The links go to the small world's stops, and the small one's to the large one's.
            0 => std::mem::swap(&mut large.buses, &mut small.buses),
            1 => std::mem::swap(&mut large.stops, &mut small.stops),
            _ => large.stops = small.stops.clone(),
        }
        match part {
            0 => {
                mended(&mut large);
                assert!(matches!(refused(&mut small), Error::BadLink { id: 3, len: 2, object: 3, .. }));
                std::mem::swap(&mut large.buses, &mut small.buses);
                mended(&mut small);
            }
            1 => {
                mended(&mut small);
                assert!(matches!(refused(&mut large), Error::BadLink { id: 3, len: 2, .. }));
                std::mem::swap(&mut large.stops, &mut small.stops);
                mended(&mut small);
            }
            _ => {
                assert!(matches!(refused(&mut large), Error::BadLink { id: 3, len: 2, .. }));
                large.stops.extend((2..9).map(|people| Stop { people })).unwrap();
            }
        }
        mended(&mut large);
    }
}

#[test]
fn objects_that_were_away_are_checked_with_what_was_done_to_them() {
    let (mut large, mut small) = (town(9, 20), town(2, 20));
    mended(&mut large);
    // Changed while in the other world, without a kernel there.
    std::mem::swap(&mut large.buses, &mut small.buses);
    small.buses.column_mut(bus::at)[7] = stop(10);
    std::mem::swap(&mut large.buses, &mut small.buses);
    assert!(matches!(refused(&mut large), Error::BadLink { object: 8, id: 10, len: 9, .. }));
    // Taken away and put back.
    let buses = std::mem::take(&mut large.buses);
    large.execute(Bus::count, ());
    large.buses = buses;
    refused(&mut large);
    large.buses.column_mut(bus::at)[7] = stop(9);
    mended(&mut large);
    // Fewer stops, then none.
    let stops = std::mem::take(&mut large.stops);
    assert!(matches!(refused(&mut large), Error::BadLink { len: 0, .. }));
    large.stops = stops;
    mended(&mut large);
}

#[test]
fn sequential_code_sees_bad_links_and_panics_where_it_follows_them() {
    let mut town = town(3, 5);
    let third = Link::<Bus>::from_index(2).unwrap();
    town.set(third, bus::at, stop(4));
    town.set(third, bus::next, Some(stop(3)));
    let shared = &town;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                assert_eq!(shared.get(third).at().link(), stop(4));
                assert_eq!(shared.get(third).next().unwrap().people(), 2);
                assert!(
                    message(|| _ = shared.get(third).at().people())
                        .contains("link Stop#4 does not belong to this world")
                );
                assert_eq!(shared.all::<Bus>().filter(|bus| bus.at().link() == stop(4)).count(), 1);
            });
        }
    });
    assert!(message(|| _ = town.get_mut(third).at.people()).contains("link Stop#4"));
    refused(&mut town);
    // A guard resolves a link through an object, which must exist.
    assert!(message(|| _ = town.get_mut(third).resolve(stop(8))).contains("link Stop#8"));
}

#[test]
fn guards_that_are_dropped_by_a_panic_store_what_is_checked() {
    let mut town = town(3, 5);
    mended(&mut town);
    let third = Link::<Bus>::from_index(2).unwrap();
    let caught = catch_unwind(AssertUnwindSafe(|| {
        let mut guard = town.get_mut(third);
        guard.slots[1] = stop(4);
        panic!("on purpose");
    }));
    assert!(caught.is_err());
    assert!(matches!(refused(&mut town), Error::BadLink { field: "slots", object: 3, id: 4, .. }));
}

#[test]
fn guards_of_two_worlds_may_exchange_objects() {
    let (mut large, mut small) = (town(9, 9), town(2, 2));
    mended(&mut large);
    mended(&mut small);
    let (ninth, first) = (Link::<Bus>::from_index(8).unwrap(), Link::<Bus>::from_index(0).unwrap());
    {
        let (mut a, mut b) = (large.get_mut(ninth), small.get_mut(first));
        std::mem::swap(&mut a.next, &mut b.next);
    }
    mended(&mut large);
    assert!(matches!(refused(&mut small), Error::BadLink { field: "next", object: 1, id: 9, len: 2, .. }));
}

#[test]
fn arguments_are_checked_at_the_call() {
    let mut town = town(3, 5);
    for run in [
        |town: &mut Town| town.on(ikra::Place::Host).execute(Bus::ask, stop(4)),
        |town: &mut Town| town.on(ikra::Place::Host).execute(Bus::ask_ref, stop(4)),
        |town: &mut Town| town.on(ikra::Place::Host).execute(Bus::ask_hint, Hint { to: stop(4), weight: 0 }),
        |town: &mut Town| town.on(ikra::Place::Host).record(|town| town.execute(Bus::ask, stop(4))).map(drop),
    ] {
        assert!(matches!(run(&mut town), Err(Error::NotInWorld { class: "Stop", id: 4, len: 3 })));
    }
    assert!(message(|| town.execute(Bus::ask, stop(4))).contains("link Stop#4 does not belong to this world"));
    assert!(message(|| town.execute(Bus::ask_ref, stop(4))).contains("link Stop#4 does not belong to this world"));
    town.execute(Bus::ask_ref, stop(3));
    assert_eq!(town.buses.column(bus::seen), [2; 5]);
}

#[test]
fn numbers_are_checked_where_they_become_objects() {
    let mut town = town(3, 5);
    let hint = Hint { to: stop(4), weight: 0 };
    town.set(Link::<Bus>::from_index(3).unwrap(), bus::spread, hint);
    // A destructured struct causes no error until the object is used.
    mended(&mut town);
    assert!(message(|| town.execute(Bus::follow_hints, ())).contains("link Stop#4"));
    mended(&mut town);
    town.get(Link::<Bus>::from_index(2).unwrap()).last().store(Some(stop(7)));
    mended(&mut town);
    assert!(message(|| town.execute(Bus::follow_atomic, ())).contains("link Stop#7"));
    town.get(Link::<Bus>::from_index(2).unwrap()).last().store(Some(stop(3)));
    town.execute(Bus::follow_atomic, ());
}

#[test]
fn kernels_that_store_numbers_in_arrays_are_checked() {
    for buses in [5, 20_000] {
        for way in 0..8 {
            let mut town = town(3, buses);
            mended(&mut town);
            town.execute(Bus::store, (way, stop(2)));
            mended(&mut town);
            assert!(message(|| town.execute(Bus::store, (way, stop(4)))).contains("link Stop#4"), "way {way}");
            // The object exists now, but the link is not followed.
            assert!(matches!(refused(&mut town), Error::BadLink { id: 4, .. }), "way {way}");
            town.stops.push(Stop { people: 3 }).unwrap();
            mended(&mut town);
        }
    }
}

#[test]
fn links_in_a_struct_are_each_compared_with_the_objects_of_their_class() {
    let mut town = town(3, 5);
    let ticket = Link::<Ticket>::from_id(1).unwrap();
    let third = Link::<Bus>::from_index(2).unwrap();
    let plan = town.buses.read(third).unwrap().all;
    for (all, target, id, len) in [
        (Plan { first: Some(ticket), ..plan }, "Ticket", 1, 0),
        (Plan { last: Some(ticket), ..plan }, "Ticket", 1, 0),
        (Plan { hint: Hint { to: stop(4), weight: 0 }, ..plan }, "Stop", 4, 3),
        (Plan { ends: [Some(stop(5)), None], ..plan }, "Stop", 5, 3),
        (Plan { ends: [None, Some(stop(6))], last: Some(ticket), ..plan }, "Stop", 6, 3),
    ] {
        town.set(third, bus::all, all);
        let error = refused(&mut town);
        let Error::BadLink { class: "Bus", field: "all", object: 3, target: found, id: bad, len: objects } = error
        else {
            panic!("{error}")
        };
        assert_eq!((found, bad, objects), (target, id, len));
    }
    town.tickets.push(Ticket { of: stop(1), next: None, people: 0 }).unwrap();
    town.set(third, bus::all, Plan { first: Some(ticket), last: Some(ticket), ..plan });
    mended(&mut town);
}

#[test]
fn kernels_that_store_structs_with_links_are_checked() {
    for buses in [5, 20_000] {
        for way in 0..12 {
            let mut town = town(3, buses);
            town.execute(Bus::store_hint, (way, 2));
            mended(&mut town);
            if way == 10 {
                continue;
            }
            assert!(message(|| town.execute(Bus::store_hint, (way, 4))).contains("link Stop#4"), "way {way}");
            if matches!(way, 0..5 | 7 | 8) {
                // It was not stored.
                mended(&mut town);
            } else {
                assert!(matches!(refused(&mut town), Error::BadLink { id: 4, .. }), "way {way}");
                town.stops.push(Stop { people: 3 }).unwrap();
                mended(&mut town);
            }
        }
        let mut town = town(3, buses);
        town.execute(Bus::store_hint_and_leave, 2);
        assert!(town.buses.column(bus::hint).iter().all(|hint| hint.to == stop(2)));
        assert!(message(|| town.execute(Bus::store_hint_and_leave, 4)).contains("link Stop#4"));
        mended(&mut town);
    }
    let mut town = town(3, 40);
    town.execute_pairs(Bus::exchange_hints, 2);
    assert!(message(|| town.execute_pairs(Bus::exchange_hints, 4)).contains("link Stop#4"));
    mended(&mut town);
}

#[test]
fn what_a_kernel_stored_is_checked_when_it_looks_itself() {
    let mut town = town(3, 5);
    for _ in 0..2 {
        assert!(message(|| town.execute(Bus::store_and_look, stop(4))).contains("link Stop#4"));
        refused(&mut town);
        for slot in 0..2 {
            town.buses.slot_mut(bus::slots, slot).fill(stop(1));
        }
        mended(&mut town);
        assert!(message(|| town.execute(Bus::store_and_iterate, stop(4))).contains("link Stop#4"));
        refused(&mut town);
        town.buses.slot_mut(bus::slots, 1).fill(stop(1));
    }
    town.execute(Bus::store_and_look, stop(3));
    town.execute(Bus::store_and_mend, stop(4));
    mended(&mut town);
}

#[test]
fn what_a_kernel_stored_before_it_panicked_is_checked() {
    let mut town = town(3, 5);
    assert!(message(|| town.execute(Bus::store_and_panic, stop(4))).contains("on purpose"));
    assert!(matches!(refused(&mut town), Error::BadLink { field: "slots", id: 4, .. }));
    town.buses.slot_mut(bus::slots, 1).fill(stop(1));
    mended(&mut town);
    // The snapshot is discarded.
    assert!(message(|| town.execute(Bus::store_and_panic_in_snapshot, stop(4))).contains("on purpose"));
    mended(&mut town);
}

#[test]
fn recordings_are_not_replayed_over_bad_links() {
    let mut town = town(3, 5);
    let place = ikra::Place::Host;
    let count: Recording = town.on(place).record(|town| town.execute(Bus::count, ())).unwrap();
    town.on(place).replay(&count).unwrap();
    town.buses.column_mut(bus::at)[4] = stop(4);
    let error = town.on(place).replay(&count).unwrap_err();
    assert!(matches!(error, Error::BadLink { field: "at", object: 5, id: 4, .. }), "{error}");
    town.buses.column_mut(bus::at)[4] = stop(3);
    town.on(place).replay(&count).unwrap();
    // An error found during recording leaves the world intact.
    town.buses.column_mut(bus::at)[4] = stop(4);
    assert!(town.on(place).record(|town| town.execute(Bus::count, ())).is_err());
    town.buses.column_mut(bus::at)[4] = stop(3);
    mended(&mut town);
}

#[test]
fn constructors_may_make_links_to_what_is_made_later() {
    let mut town = town(3, 5);
    for tickets in [6, 20_000] {
        town.tickets = Objects::new();
        town.construct(tickets, Ticket::new, tickets as u32 - 1).unwrap();
        let error = town.on(ikra::Place::Host).execute(Ticket::look, ()).unwrap_err();
        let len = town.stops.len();
        let Error::BadLink { class: "Ticket", field: "of", object, target: "Stop", .. } = error else {
            panic!("{error}")
        };
        assert_eq!(object as usize, len + 1, "the first");
        town.stops.extend((len..tickets).map(|people| Stop { people: people as u32 })).unwrap();
        town.execute(Ticket::look, ());
        assert_eq!(town.tickets.column(ticket::people)[3], 3 + 4);
        // The last ticket's `next` is `None`; with another `last`, it would be an invalid link.
        town.tickets = Objects::new();
        town.construct(tickets, Ticket::new, u32::MAX).unwrap();
        let error = town.on(ikra::Place::Host).execute(Ticket::look, ()).unwrap_err();
        assert!(matches!(error, Error::BadLink { field: "next", object, .. } if object as usize == tickets), "{error}");
    }
}

#[test]
fn reserved_objects_come_before_links() {
    let mut town = Town::new();
    let first = town.buses.reserve(2).unwrap().next().unwrap();
    assert!(matches!(town.on(ikra::Place::Host).execute(Bus::count, ()), Err(Error::NotAllInitialized { .. })));
    for link in town.buses.links() {
        town.buses.init(link, bus(stop(1))).unwrap();
    }
    assert!(matches!(refused(&mut town), Error::BadLink { object: 1, id: 1, len: 0, .. }));
    assert_eq!(first.id(), 1);
    town.stops.push(Stop { people: 0 }).unwrap();
    mended(&mut town);
}

/// One operation on a town.
#[derive(Clone, Debug)]
enum Action {
    Push(u32),
    Stop,
    Set(u8, u16, u32),
    Fill(u32),
    Route(u16, u32),
    Guard(u16, u32),
    Clone,
    Exchange,
    Store(u32, u32),
    Run,
}

fn action() -> impl Strategy<Value = Action> {
    // Most links are valid.
    let id = || prop_oneof![8 => 1..4_u32, 1 => 4..8_u32, 1 => Just(u32::MAX)];
    prop_oneof![
        id().prop_map(Action::Push),
        Just(Action::Stop),
        (0..3_u8, any::<u16>(), id()).prop_map(|(field, bus, id)| Action::Set(field, bus, id)),
        id().prop_map(Action::Fill),
        (any::<u16>(), id()).prop_map(|(bus, id)| Action::Route(bus, id)),
        (any::<u16>(), id()).prop_map(|(bus, id)| Action::Guard(bus, id)),
        Just(Action::Clone),
        Just(Action::Exchange),
        (0..8_u32, id()).prop_map(|(way, id)| Action::Store(way, id)),
        Just(Action::Run),
        Just(Action::Run),
        Just(Action::Run),
    ]
}

/// Whether all links in columns of buses, as seen in rows, refer to stops.
fn is_good(town: &Town) -> bool {
    town.buses.iter().all(|bus| {
        let all = [Some(bus.at), bus.next].into_iter().chain(bus.ends).flatten();
        all.chain(bus.slots)
            .chain(bus.route.iter().copied())
            .chain(bus.plan)
            .all(|stop| stop.index() < town.stops.len())
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]
    /// After any operations on towns, a kernel runs if and only if all links are valid.
    #[test]
    fn kernels_run_where_all_links_are_good(actions in prop::collection::vec(action(), 1..40)) {
        let (mut here, mut there) = (town(3, 4), town(5, 3));
        for action in actions {
            let len = here.buses.len();
            let of = |bus: u16| Link::from_index(bus as usize % len).unwrap();
            match action {
                Action::Push(id) => _ = here.buses.push(bus(stop(id))).unwrap(),
                Action::Stop => _ = here.stops.push(Stop { people: here.stops.len() as u32 }).unwrap(),
                Action::Set(0, bus, id) => here.set(of(bus), bus::at, stop(id)),
                Action::Set(1, bus, id) => here.set(of(bus), bus::next, Some(stop(id))),
                Action::Set(_, bus, id) => here.set(of(bus), bus::ends, [Some(stop(id)), None]),
                Action::Fill(id) => here.buses.column_mut(bus::plan).fill([stop(id); 2]),
                Action::Route(bus, id) => here.buses.set_array(bus::route, of(bus), &[stop(1), stop(id)]).unwrap(),
                Action::Guard(bus, id) => here.get_mut(of(bus)).slots[1] = stop(id),
                Action::Clone => there = here.clone(),
                Action::Exchange => std::mem::swap(&mut here.stops, &mut there.stops),
                Action::Store(way, id) => {
                    let good = is_good(&here);
                    let has_route = here.buses.iter().all(|bus| !bus.route.is_empty());
                    let done = catch_unwind(AssertUnwindSafe(|| here.execute(Bus::store, (way, stop(id))))).is_ok();
                    prop_assert_eq!(done, good && has_route && id as usize <= here.stops.len());
                }
                Action::Run => {
                    let good = is_good(&here);
                    let ran = here.on(ikra::Place::Host).execute(Bus::count, ());
                    prop_assert_eq!(ran.is_ok(), good, "{:?}", ran);
                    if good {
                        mended(&mut here);
                    }
                }
            }
        }
    }
}
