//! Clones of worlds and objects.

use ikra::Error;
use ikra::prelude::*;

#[soa_class]
#[derive(Debug, PartialEq)]
pub struct City {
    pub people: u64,
    #[inline_array(1)]
    pub roads: InnerArray<Link<City>>,
    #[atomic]
    pub visits: u32,
    pub people_of: Link<Person>,
}

#[soa_class(layout = "tiles", capacity = 300, arena = 20000)]
#[derive(Debug, PartialEq)]
pub struct Person {
    pub home: Option<Link<City>>,
    #[inline_array(0)]
    pub ages: InnerArray<u16>,
}

/// The macro implements `Clone`.
#[soa_world]
pub struct Country {
    pub cities: Objects<City>,
    pub people: Objects<Person>,
}

/// The compiler's derive implements `Clone`, as a user would write it.
#[soa_world]
#[derive(Clone, Debug)]
pub struct Derived {
    pub people: Objects<Person>,
    pub cities: Objects<City>,
}

#[soa_methods]
impl City {
    #[kernel]
    pub fn step(&mut self) {
        self.people += self.people_of.ages().iter().map(u64::from).sum::<u64>();
        for n in 0..self.roads.len() {
            self.roads.get(n).visits().add(1);
        }
    }
}

fn country() -> Country {
    let mut country = Country::new();
    let link = |n: usize| Link::from_index(n % 250).unwrap();
    country
        .people
        .extend((0..250).map(|n| Person {
            home: (n % 3 > 0).then(|| Link::from_index(n).unwrap()),
            ages: (0..n as u16 % 7).collect(),
        }))
        .unwrap();
    country
        .cities
        .extend((0..250).map(|n| City {
            people: n as u64,
            roads: (0..n % 4).map(|k| link(n + k)).collect(),
            visits: 0,
            people_of: Link::from_index(n * 7 % 250).unwrap(),
        }))
        .unwrap();
    country
}

fn same(a: &Country, b: &Country) -> bool {
    a.cities.iter().eq(b.cities.iter()) && a.people.iter().eq(b.people.iter())
}

#[test]
fn a_clone_is_a_world_of_its_own() {
    let mut world = country();
    world.execute(City::step, ());
    let mut clone = world.clone();
    assert!(same(&world, &clone));
    for _ in 0..3 {
        world.execute(City::step, ());
    }
    assert!(!same(&world, &clone));
    for _ in 0..3 {
        clone.execute(City::step, ());
    }
    assert!(same(&world, &clone));
    // Changing an array of one world does not change the other.
    let first = Link::from_index(0).unwrap();
    clone.cities.set_array(city::roads, first, &[first; 9]).unwrap();
    clone.people.set_array(person::ages, Link::from_index(5).unwrap(), &[1; 99]).unwrap();
    let again = world.clone();
    assert!(same(&world, &again));
    drop(world);
    assert_eq!(clone.get(first).roads().len(), 9);
    assert_eq!(again.get(first).roads().len(), 0);
    assert_eq!(again.get(Link::<City>::from_index(249).unwrap()).people_of().ages().len(), 243 % 7);
}

#[test]
fn objects_are_cloned_into_another_world() {
    let mut a = country();
    let mut b = Country::new();
    b.cities = a.cities.clone();
    b.people = a.people.clone();
    a.execute(City::step, ());
    b.execute(City::step, ());
    assert!(same(&a, &b));
    b.cities.clone_from(&a.cities);
    assert!(same(&a, &b));
}

#[test]
fn a_clone_keeps_what_is_reserved() {
    let mut world = country();
    let link = world.people.reserve(2).unwrap().next().unwrap();
    let mut clone = world.clone();
    assert!(matches!(clone.people.read(link), Err(Error::NotInitialized { .. })));
    for link in clone.people.reserve(0).unwrap().chain([link, Link::from_index(link.index() + 1).unwrap()]) {
        clone.people.init(link, Person { home: None, ages: [3, 4].into() }).unwrap();
    }
    clone.execute(City::step, ());
    assert_eq!((clone.people.len(), clone.people.read(link).unwrap().ages[..].len()), (252, 2));
    assert!(matches!(world.people.read(link), Err(Error::NotInitialized { .. })));
}

#[test]
fn empty_worlds_and_derived_clones() {
    let empty = Country::new().clone();
    assert!(empty.cities.is_empty() && empty.all::<City>().next().is_none());
    let mut derived = Derived::new();
    let person = derived.people.push(Person { home: None, ages: [1].into() }).unwrap();
    let clone = derived.clone();
    derived.people.set_array(person::ages, person, &[]).unwrap();
    assert_eq!((clone.get(person).ages().len(), derived.get(person).ages().len()), (1, 0));
    assert!(format!("{clone:?}").contains("Objects<Person>(1)"));
    // A world that is destructured has a hidden field.
    let Derived { people, cities, .. } = clone;
    assert_eq!((people.len(), cities.len()), (1, 0));
}
