//! Links to objects that were removed, or are not there yet.

use std::sync::Mutex;

use ikra::{Error, LinkList, Place, prelude::*};
use ikra_hostile_tests::hush;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Pair {
    pub weight: u32,
    pub to: Option<Link<Ant>>,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Ant {
    pub age: u32,
    pub pair: Pair,
    pub next: Option<Link<Ant>>,
    #[atomic]
    pub seen: Option<Link<Ant>>,
    pub any: Option<InsectLink>,
}

#[soa_dispatch(Ant)]
pub trait Insect {
    fn years(&self) -> u32;
}
#[soa_methods]
impl Insect for Ant {
    fn years(&self) -> u32 {
        self.age
    }
}

static SMUGGLED: Mutex<Option<Link<Ant>>> = Mutex::new(None);

#[soa_methods]
impl Ant {
    #[kernel]
    pub fn child(&mut self, young: Spawn<Ant>) -> Link<Ant> {
        young.push(ant(self.age + 100))
    }
    #[kernel]
    pub fn pair_up(&mut self, young: Spawn<Ant>) {
        let link = young.push(ant(1));
        self.pair = Pair { weight: 1, to: Some(link) };
    }
    #[kernel]
    pub fn see(&mut self, by: u32, young: Spawn<Ant>) {
        let link = young.push(ant(self.age + 1));
        match by {
            0 => self.seen.store(Some(link)),
            1 => _ = self.seen.swap(Some(link)),
            2 => _ = self.seen.compare_exchange(None, Some(link)),
            3 => self.seen.claim(link),
            _ => self.seen.store(Some(self.link())),
        }
    }
    #[kernel]
    pub fn follow_young(&mut self, young: Spawn<Ant>) {
        let link = young.push(ant(1));
        self.age = self.resolve(link).link().id();
    }
    #[kernel]
    pub fn smuggle(&mut self, young: Spawn<Ant>) {
        *SMUGGLED.lock().unwrap() = Some(young.push(ant(1)));
    }
    #[kernel]
    pub fn use_smuggled(&mut self, young: Spawn<Ant>) {
        let next = *SMUGGLED.lock().unwrap();
        young.push(Ant { next, ..ant(2) });
    }
    #[kernel]
    pub fn keep_smuggled(&mut self, young: Spawn<Ant>) {
        young.push(ant(2));
        self.set_at_end(ant::next, *SMUGGLED.lock().unwrap());
    }
    #[kernel]
    pub fn die(&mut self, age: u32) {
        if self.age == age {
            self.remove();
        }
    }
    #[kernel]
    pub fn age_of(&self, other: Ref<Ant>) -> u32 {
        if self.link() == other.link() { 0 } else { other.age() }
    }
    #[kernel]
    pub fn follow(&mut self, other: Link<Ant>) {
        self.seen.store(Some(self.resolve(other).link()));
    }
    #[kernel]
    pub fn follow_seen(&mut self) {
        self.age += self.seen.load().map_or(0, |link| self.resolve(link).link().id());
    }
    #[kernel]
    pub fn follow_any(&mut self, other: InsectLink) {
        let other = self.resolve(other);
        self.seen.store(other.link().try_into().ok());
    }
    #[kernel]
    pub fn touch(&mut self) {
        self.age += 0;
    }
    #[kernel]
    pub fn visit(&self) -> u32 {
        self.next.map_or(0, |next| next.age())
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Ant>) {
        if self.link() != other.link() && other.age() > 0 {
            self.seen.store(Some(other.link()));
        }
    }
    #[kernel]
    pub fn count(&self) -> usize {
        self.all::<Ant>().count()
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Hill {
    pub ants: Objects<Ant>,
}

fn ant(age: u32) -> Ant {
    Ant { age, pair: Pair { weight: 0, to: None }, next: None, seen: None, any: None }
}

fn hill(len: u32) -> (Hill, Vec<Link<Ant>>) {
    let mut hill = Hill::new();
    let links = hill.ants.extend((0..len).map(ant)).unwrap().collect();
    (hill, links)
}

fn message(panicked: impl FnOnce()) -> String {
    hush();
    let payload = std::panic::catch_unwind(std::panic::AssertUnwindSafe(panicked)).unwrap_err();
    match payload.downcast_ref::<&str>() {
        Some(text) => (*text).to_owned(),
        None => payload.downcast_ref::<String>().cloned().unwrap_or_default(),
    }
}

#[test]
fn a_link_that_a_kernel_returns_names_no_object() {
    let (mut hill, _) = hill(3);
    let links = hill.execute_and_collect(Ant::child, ());
    assert_eq!(hill.ants.len(), 6);
    for link in links {
        assert!(matches!(hill.try_get(link), Err(Error::NotInWorld { .. })));
    }
}

#[test]
fn a_link_to_a_young_object_in_a_struct_is_refused() {
    let (mut hill, _) = hill(3);
    let message = message(|| hill.execute(Ant::pair_up, ()));
    assert!(message.contains("set_at_end"), "{message}");
    assert_eq!(hill.ants.len(), 3);
    hill.execute(Ant::touch, ());
}

#[test]
fn a_link_to_a_young_object_in_an_atomic_field_is_refused() {
    let (mut hill, links) = hill(3);
    for by in 0..4 {
        let message = message(|| hill.execute(Ant::see, by));
        assert!(message.contains("set_at_end"), "{message}");
        assert_eq!(hill.ants.len(), 3);
        assert!(hill.get(links[0]).seen().load().is_none());
    }
    hill.execute(Ant::see, 4);
    assert_eq!(hill.ants.len(), 6);
}

#[test]
fn a_young_object_cannot_be_followed() {
    let (mut hill, _) = hill(3);
    let message = message(|| hill.execute(Ant::follow_young, ()));
    assert!(message.contains("when the kernel has ended"), "{message}");
    assert_eq!(hill.ants.len(), 3);
}

#[test]
fn a_smuggled_link_is_looked_at() {
    let (mut hill, links) = hill(1);
    hill.execute(Ant::smuggle, ());
    // The number names the new kernel's first object, or none.
    hill.execute(Ant::use_smuggled, ());
    assert_eq!(hill.ants.len(), 4);
    hill.execute(Ant::touch, ());
    let (mut other, _) = self::hill(1);
    other.execute(Ant::keep_smuggled, ());
    other.execute(Ant::touch, ());
    *SMUGGLED.lock().unwrap() = Some(Link::from_id(1_000_000).unwrap());
    other.execute(Ant::keep_smuggled, ());
    let error = other.on(Place::Host).execute(Ant::touch, ()).unwrap_err();
    assert!(matches!(error, Error::BadLink { id: 1_000_000, .. }), "{error}");
    assert!(hill.try_get(links[0]).is_ok());
}

#[test]
fn no_argument_names_a_removed_object() {
    let (mut hill, links) = hill(5);
    hill.execute(Ant::die, 2);
    for error in [
        hill.on(Place::Host).execute_and_collect(Ant::age_of, links[2]).map(drop).unwrap_err(),
        hill.on(Place::Host).execute(Ant::follow, links[2]).unwrap_err(),
        hill.on(Place::Host).execute(Ant::follow_any, links[2].into()).unwrap_err(),
    ] {
        assert!(matches!(error, Error::Removed { class: "Ant", id: 3 }), "{error}");
    }
    for message in [
        message(|| drop(hill.execute_and_collect(Ant::age_of, links[2]))),
        message(|| hill.execute(Ant::follow, links[2])),
        message(|| hill.execute(Ant::follow_any, links[2].into())),
        message(|| _ = hill.get(links[2])),
        message(|| drop(hill.get_mut(links[2]))),
        message(|| hill.set(links[2], ant::age, 7)),
    ] {
        assert!(message.contains("Ant#3 was removed"), "{message}");
    }
    assert!(matches!(hill.ants.read(links[2]), Err(Error::Removed { .. })));
    assert!(matches!(hill.ants.write(links[2], ant(1)), Err(Error::Removed { .. })));
    assert!(matches!(hill.track(links[2]), Err(Error::Removed { .. })));
    assert!(matches!(hill.reorder(&links), Err(Error::Removed { .. })));
    let list = LinkList::new(&links).unwrap();
    assert!(matches!(hill.on(Place::Host).over(&list).execute(Ant::touch, ()), Err(Error::Removed { id: 3, .. })));
    assert!(matches!(hill.on(Place::Host).over(&links).execute(Ant::touch, ()), Err(Error::Removed { id: 3, .. })));
}

#[test]
fn no_stale_link_is_followed() {
    let (mut hill, links) = hill(5);
    hill.execute(Ant::die, 2);
    hill.set(links[0], ant::next, Some(links[2]));
    assert!(message(|| _ = hill.get(links[0]).next().unwrap().age()).contains("Ant#3 was removed"));
    let error = hill.on(Place::Host).execute_and_collect(Ant::visit, ()).unwrap_err();
    assert!(matches!(error, Error::LinkToNone { object: 1, field: "next", .. }), "{error}");
    assert!(message(|| drop(hill.execute_and_collect(Ant::visit, ()))).contains("`Ant::next` of Ant#1"));
    hill.set(links[0], ant::next, None);
    hill.set(links[4], ant::any, Some(links[2].into()));
    let error = hill.on(Place::Host).execute(Ant::touch, ()).unwrap_err();
    assert!(matches!(error, Error::LinkToNone { object: 5, field: "any", target: "Ant", .. }), "{error}");
    hill.set(links[4], ant::any, None);
    hill.set(links[4], ant::pair, Pair { weight: 0, to: Some(links[2]) });
    let error = hill.remove(links[0]).unwrap_err();
    assert!(matches!(error, Error::LinkToNone { object: 5, field: "pair", .. }), "{error}");
    hill.set(links[4], ant::pair, Pair { weight: 0, to: None });
    // A link in an atomic field is a number, which is looked at when it is followed.
    hill.get(links[4]).seen().store(Some(links[2]));
    hill.execute(Ant::touch, ());
    assert!(message(|| hill.execute(Ant::follow_seen, ())).contains("Ant#3 was removed"));
    hill.get(links[4]).seen().store(None);
    // A link of a removed object does not matter, whatever it names.
    hill.execute(Ant::touch, ());
}

#[test]
fn code_that_needs_all_objects_in_a_row_says_so() {
    let (mut hill, links) = hill(5);
    hill.remove(links[1]).unwrap();
    let expected = "call `world.compact::<Ant>()` before it";
    let error = hill.on(Place::Host).execute_pairs(Ant::meet, ()).unwrap_err().to_string();
    let recording = hill.on(Place::Host).record(|on| on.execute(Ant::touch, ())).unwrap_err().to_string();
    assert!(recording.contains("world.compact"), "{recording}");
    for message in [
        error,
        message(|| hill.execute_pairs(Ant::meet, ())),
        message(|| drop(hill.execute_and_collect(Ant::count, ()))),
        message(|| _ = hill.all::<Ant>().count()),
        message(|| _ = hill.ants.column(ant::age).len()),
        message(|| hill.ants.column_mut(ant::age).fill(1)),
        serde_json::to_string(&Numbers::of(&hill)).unwrap_err().to_string().replace("Number", "Ant"),
    ] {
        assert!(message.contains(expected), "{message}");
    }
    hill.compact::<Ant>().unwrap();
    hill.execute_pairs(Ant::meet, ());
    assert_eq!(hill.execute_and_collect(Ant::count, ()), [4; 4]);
    assert_eq!(serde_json::to_string(&Numbers::of(&hill)).unwrap(), r#"[{"n":0},{"n":2},{"n":3},{"n":4}]"#);
    hill.execute(Ant::touch, ());
}

/// A class that serde writes, with the same holes.
#[soa_class]
#[derive(serde::Serialize)]
pub struct Number {
    pub n: u32,
}
#[soa_world]
pub struct Numbers {
    pub numbers: Objects<Number>,
}
impl Numbers {
    fn of(hill: &Hill) -> Objects<Number> {
        let mut numbers = Self::new();
        let end = hill.ants.links().last().unwrap().index() + 1;
        let all: Vec<_> = numbers.numbers.extend((0..end as u32).map(|n| Number { n })).unwrap().collect();
        if hill.ants.len() < end {
            numbers.remove(all[1]).unwrap();
            return std::mem::take(&mut numbers.numbers);
        }
        let mut ages = Objects::new();
        ages.extend(hill.ants.iter().map(|ant| Number { n: ant.age })).unwrap();
        ages
    }
}
