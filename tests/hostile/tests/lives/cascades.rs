//! Owners that go with their objects, and those that cannot.

use ikra::{Error, Place, prelude::*};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Person {
    pub n: u32,
    /// A child goes with its mother.
    #[soa(on_remove = "cascade")]
    pub mother: Option<Link<Person>>,
    #[inline_array(1)]
    #[soa(on_remove = "cascade")]
    pub team: InnerArray<Link<Person>>,
}

/// The field that keeps an object comes before the one that takes it along.
#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Dog {
    pub n: u32,
    pub friend: Link<Person>,
    #[soa(on_remove = "cascade")]
    pub owner: Link<Person>,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Leash {
    pub dog: BeingLink,
}

#[soa_dispatch(Person, Dog)]
pub trait Being {
    fn number(&self) -> u32;
}
#[soa_methods]
impl Being for Person {
    fn number(&self) -> u32 {
        self.n
    }
}
#[soa_methods]
impl Being for Dog {
    fn number(&self) -> u32 {
        self.n
    }
}

#[soa_methods]
impl Person {
    #[kernel]
    pub fn age(&mut self, n: u32) {
        self.n += 100;
        if self.n % 100 == n {
            self.remove();
        }
    }
    #[kernel]
    pub fn is_not(&self, n: u32) -> bool {
        self.n != n
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Town {
    pub leashes: Objects<Leash>,
    pub dogs: Objects<Dog>,
    pub people: Objects<Person>,
}

/// 0, its child 1, that one's child 2; 3, in whose team is 0; 4.
fn town() -> (Town, Vec<Link<Person>>, Vec<Link<Dog>>) {
    let mut town = Town::new();
    let person = |n| Person { n, mother: None, team: [].into() };
    let people: Vec<_> = town.people.extend((0..5).map(person)).unwrap().collect();
    town.set(people[1], person::mother, Some(people[0]));
    town.set(people[2], person::mother, Some(people[1]));
    town.people.set_array(person::team, people[3], &[people[4], people[0]]).unwrap();
    let dogs = [(0, 0, 0), (1, 4, 2), (2, 4, 4)];
    let dog = |(n, friend, owner): (u32, usize, usize)| Dog { n, friend: people[friend], owner: people[owner] };
    let dogs = town.dogs.extend(dogs.map(dog)).unwrap().collect();
    (town, people, dogs)
}

fn left(town: &Town) -> (Vec<u32>, Vec<u32>) {
    (town.people.iter().map(|person| person.n % 100).collect(), town.dogs.iter().map(|dog| dog.n).collect())
}

#[test]
fn owners_of_every_kind_go_along() -> Result<(), Error> {
    let ways: [fn(&mut Town, &[Link<Person>]) -> Result<(), Error>; 4] = [
        |town, people| town.remove(people[0]),
        |town, _| town.on(Place::Host).execute(Person::age, 0),
        |town, _| town.retain(Person::is_not, 0).map(|moved| assert_eq!(moved.removed(), 4)),
        |town, people| town.reorder(&[people[4], people[3], people[1]]).map(|moved| assert_eq!(moved.removed(), 4)),
    ];
    for way in ways {
        let (mut town, people, _) = self::town();
        way(&mut town, &people)?;
        assert_eq!(left(&town), (vec![4], vec![2]));
        town.execute(Person::age, 77);
    }
    let (mut town, ..) = self::town();
    town.clear::<Person>()?;
    assert_eq!(left(&town), (vec![], vec![]));
    Ok(())
}

#[test]
fn a_link_at_the_end_of_a_chain_keeps_all() -> Result<(), Error> {
    let (mut town, people, dogs) = self::town();
    town.leashes.push(Leash { dog: dogs[1].into() })?;
    let before = (left(&town), town.people.iter().collect::<Vec<_>>());
    let refused: [fn(&mut Town, &[Link<Person>]) -> Result<(), Error>; 3] = [
        |town, people| town.remove(people[0]),
        |town, _| town.on(Place::Host).execute(Person::age, 0),
        |town, _| town.retain(Person::is_not, 0).map(drop),
    ];
    for refused in refused {
        let Err(Error::LinkToRemoved { class, field, object, target }) = refused(&mut town, &people) else {
            panic!("the leash keeps its dog")
        };
        assert_eq!((class, field, object, target), ("Leash", "dog", 1, "Dog"));
        assert_eq!((left(&town), town.people.iter().collect::<Vec<_>>()), before, "as before the kernel");
    }
    // The friend of a dog that stays.
    let (mut town, people, _) = self::town();
    town.leashes.push(Leash { dog: people[3].into() })?;
    let Err(Error::LinkToRemoved { target: "Person", .. }) = town.remove(people[4]) else {
        panic!("the leash keeps the person")
    };
    Ok(())
}
