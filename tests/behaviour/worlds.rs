//! Several worlds, on several threads, swapped and dropped.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Dog {
    pub age: u32,
    pub owner: Option<Link<Person>>,
    #[atomic]
    pub pats: u32,
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Debug)]
pub struct Person {
    pub age: u32,
    pub dog: Option<Link<Dog>>,
    pub seen: u32,
}

#[soa_methods]
impl Dog {
    #[kernel]
    pub fn copy_age(&mut self) {
        self.age = self.owner.map_or(0, |owner| owner.age());
    }
    #[kernel]
    pub fn count_people(&mut self) {
        self.age = self.all::<Person>().map(|person| person.age()).sum();
    }
}

#[soa_methods]
impl Person {
    #[kernel]
    pub fn look(&mut self) {
        self.seen = self.dog.map_or(0, |dog| dog.age());
    }
    #[kernel]
    pub fn pat(&self) {
        if let Some(dog) = self.dog {
            dog.pats().add(1);
        }
    }
}

#[soa_world]
pub struct Town {
    pub dogs: Objects<Dog>,
    pub people: Objects<Person>,
}

/// A town of `n` people aged `age…`, each with a dog of the same number.
fn town(n: usize, age: u32) -> Town {
    let mut town = Town::new();
    let dogs: Vec<_> = town.dogs.reserve(n).unwrap().collect();
    let people: Vec<_> = town.people.reserve(n).unwrap().collect();
    for k in 0..n {
        let years = age + k as u32;
        town.dogs.init(dogs[k], Dog { age: years + 1000, owner: Some(people[k]), pats: 0 }).unwrap();
        town.people.init(people[k], Person { age: years, dog: Some(dogs[k]), seen: 0 }).unwrap();
    }
    town
}

fn dog(n: u32) -> Link<Dog> {
    Link::from_id(n).unwrap()
}
fn person(n: u32) -> Link<Person> {
    Link::from_id(n).unwrap()
}

/// Follows links in both directions, in sequential code and in kernels.
fn check(town: &mut Town, n: usize, people: u32, dogs: u32) {
    for k in 0..n as u32 {
        assert_eq!(town.get(dog(k + 1)).age(), dogs + k);
        assert_eq!(town.get(dog(k + 1)).owner().unwrap().age(), people + k);
        assert_eq!(town.get(dog(k + 1)).owner().unwrap().dog().unwrap().age(), dogs + k);
        assert_eq!(town.get(person(k + 1)).dog().unwrap().owner().unwrap().age(), people + k);
    }
    town.execute(Person::look, ());
    assert!(town.people.copy_column(person::seen).into_iter().eq(dogs..dogs + n as u32));
    town.execute(Dog::copy_age, ());
    assert!(town.dogs.copy_column(dog::age).into_iter().eq(people..people + n as u32));
    town.execute(Dog::count_people, ());
    let sum = (people..people + n as u32).sum();
    assert!(town.dogs.copy_column(dog::age).into_iter().all(|age| age == sum));
    // Restore the values.
    for (k, age) in town.dogs.column_mut(dog::age).iter_mut().enumerate() {
        *age = dogs + k as u32;
    }
}

#[test]
fn several_worlds_do_not_know_of_each_other() {
    let mut towns: Vec<_> = (0..5).map(|k| town(100 + k, 1 + k as u32)).collect();
    for _ in 0..2 {
        for (k, town) in towns.iter_mut().enumerate() {
            check(town, 100 + k, 1 + k as u32, 1001 + k as u32);
        }
    }
    // Dropped in the middle, and moved.
    towns.swap(0, 4);
    drop(towns.remove(1));
    towns.shrink_to_fit();
    check(&mut towns[0], 104, 5, 1005);
    check(&mut towns[3], 100, 1, 1001);
    drop(towns);
}

#[test]
fn worlds_move_between_threads() {
    let mut moved = town(200, 1);
    check(&mut moved, 200, 1, 1001);
    for _ in 0..3 {
        moved = thread::spawn(move || {
            check(&mut moved, 200, 1, 1001);
            moved
        })
        .join()
        .unwrap();
    }
    check(&mut moved, 200, 1, 1001);
    // Several at a time, each on its own thread. Each dog looks at all people.
    let is_long = std::env::var_os("IKRA_LONG").is_some_and(|value| !value.is_empty());
    let count = if is_long { 5000 } else { 1500 };
    let threads: Vec<_> = (1..=4u32)
        .map(|k| {
            let mut town = town(count, k);
            thread::spawn(move || check(&mut town, count, k, k + 1000))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn worlds_are_read_by_several_threads() {
    // New worlds, so that all threads find unlinked tables.
    for _ in 0..50 {
        let town = town(64, 1);
        let barrier = std::sync::Barrier::new(4);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    barrier.wait();
                    for k in 1..=64 {
                        let owner = town.get(dog(k)).owner().unwrap();
                        assert_eq!(owner.dog().unwrap().link(), dog(k));
                        town.get(dog(k)).pats().add(1);
                    }
                    assert_eq!(town.all::<Person>().map(|person| person.age()).sum::<u32>(), (1..=64).sum());
                    assert_eq!(town.dogs.column(dog::age)[0], 1001);
                });
            }
        });
        assert!(town.dogs.copy_column(dog::pats).iter().all(|&pats| pats == 4));
    }
}

#[test]
fn swapped_objects_are_followed_in_the_world_that_is_used() {
    for linked_before in [false, true] {
        let mut a = town(100, 1);
        let mut b = town(100, 301);
        if linked_before {
            check(&mut a, 100, 1, 1001);
            check(&mut b, 100, 301, 1301);
        }
        mem::swap(&mut a.dogs, &mut b.dogs);
        check(&mut a, 100, 1, 1301);
        check(&mut b, 100, 301, 1001);
        check(&mut a, 100, 1, 1301);
        // One world dropped.
        drop(b);
        check(&mut a, 100, 1, 1301);
        // New worlds, whose tables may lie where the old ones were.
        for _ in 0..20 {
            let mut c = town(100, 501);
            check(&mut c, 100, 501, 1501);
            mem::swap(&mut a.people, &mut c.people);
            check(&mut a, 100, 501, 1301);
            mem::swap(&mut a.people, &mut c.people);
            drop(c);
            check(&mut a, 100, 1, 1301);
        }
        // Swapped back without a use in between.
        let mut d = town(100, 701);
        check(&mut d, 100, 701, 1701);
        mem::swap(&mut a.dogs, &mut d.dogs);
        mem::swap(&mut a.dogs, &mut d.dogs);
        check(&mut a, 100, 1, 1301);
        mem::swap(&mut a, &mut d);
        check(&mut a, 100, 701, 1701);
        check(&mut d, 100, 1, 1301);
    }
}

#[test]
fn objects_can_be_replaced() {
    let mut town = town(100, 1);
    check(&mut town, 100, 1, 1001);
    for _ in 0..10 {
        // All people are removed: the dogs' links are invalid and detected.
        let people = mem::take(&mut town.people);
        let owner = town.get(dog(1)).owner().unwrap();
        assert!(catch_unwind(AssertUnwindSafe(|| owner.age())).is_err());
        assert!(catch_unwind(AssertUnwindSafe(|| town.execute(Dog::copy_age, ()))).is_err());
        town.people = people;
        check(&mut town, 100, 1, 1001);
    }
}

#[test]
fn growing_keeps_links_good() {
    let mut town = town(1, 1);
    for k in 1..3000u32 {
        let dog = town.dogs.push(Dog { age: 1001 + k, owner: None, pats: 0 }).unwrap();
        let person = town.people.push(Person { age: 1 + k, dog: Some(dog), seen: 0 }).unwrap();
        let mut guard = town.get_mut(dog);
        guard.owner = Some(guard.resolve(person));
        drop(guard);
        assert_eq!(town.get(dog).owner().unwrap().age(), 1 + k);
    }
    check(&mut town, 3000, 1, 1001);
    town.execute(Person::pat, ());
    assert!(town.dogs.copy_column(dog::pats).iter().all(|&pats| pats == 1));
}

#[test]
fn guards_store_when_dropped() {
    let mut town = town(10, 1);
    {
        let mut rex = town.get_mut(dog(1));
        rex.age = 5;
        // Access through a link is unchanged.
        assert_eq!(rex.owner.unwrap().dog().unwrap().age(), 1001);
        rex.pats.store(9);
        assert_eq!(rex.owner.unwrap().dog().unwrap().pats().load(), 9);
    }
    assert_eq!((town.get(dog(1)).age(), town.get(dog(1)).pats().load()), (5, 9));
    // The same after a panic.
    let result = catch_unwind(AssertUnwindSafe(|| {
        let mut rex = town.get_mut(dog(1));
        rex.age = 6;
        panic!("out");
    }));
    assert!(result.is_err());
    assert_eq!(town.get(dog(1)).age(), 6);
    // Another object's handle cannot be kept, and a panic that is on its way stays the only one.
    let stray = |and_then: fn()| {
        let (mut town, mut next) = (self::town(2, 1), self::town(2, 1));
        catch_unwind(AssertUnwindSafe(|| {
            let mut rex = town.get_mut(dog(1));
            // A leaked handle of another world: it belongs to the same field.
            let other = std::mem::ManuallyDrop::new(next.get_mut(dog(2)));
            rex.pats = other.pats;
            and_then();
        }))
    };
    assert!(stray(|| {}).unwrap_err().downcast::<String>().unwrap().contains("Dog::pats"));
    assert_eq!(*stray(|| panic!("mine")).unwrap_err().downcast::<&str>().unwrap(), "mine");
}

#[test]
fn views_print_like_structs() {
    let mut town = town(2, 1);
    assert_eq!(format!("{:?}", town.get_mut(dog(2))), "Dog { age: 1002, owner: Some(Person#2), pats: 0 }");
    assert_eq!(format!("{:?} {:?}", town.get(dog(2)), dog(2)), "Dog#2 Dog#2");
    assert_eq!(format!("{:?}", town.dogs), "Objects<Dog>(2)");
}

/// Two classes of the same name, at the same source position as far as the macro's expansion shows.
macro_rules! two_classes_of_one_name {
    () => {
        #[soa_class]
        pub struct Twin {
            pub bits: u64,
        }
        type OuterTwin = Twin;

        #[test]
        fn classes_of_one_name_are_told_apart() {
            #[soa_class]
            pub struct Twin {
                pub flag: bool,
                pub of: Option<Link<Twin>>,
            }
            #[soa_world]
            pub struct Twins {
                pub outer: Objects<OuterTwin>,
                pub inner: Objects<Twin>,
            }
            let mut twins = Twins::new();
            twins.outer.push(OuterTwin { bits: 0x4142_4344_4546_4748 }).unwrap();
            let twin = twins.inner.reserve(1).unwrap().next().unwrap();
            twins.inner.init(twin, Twin { flag: true, of: Some(twin) }).unwrap();
            let follow = twins.get(twin).of().unwrap();
            assert_eq!(follow, twins.get(twin));
            assert_eq!(follow.all::<OuterTwin>().next().unwrap().bits(), 0x4142_4344_4546_4748);
            assert!(follow.all::<Twin>().all(|twin| twin.flag()));
            assert!(follow.flag());
        }
    };
}
two_classes_of_one_name!();

/// The file that the panic of `f` names.
fn file_of_panic(f: impl FnOnce() + std::panic::UnwindSafe) -> String {
    thread_local! { static FILE: std::cell::RefCell<String> = const { std::cell::RefCell::new(String::new()) }; }
    static HOOK: std::sync::Once = std::sync::Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            FILE.set(panic.location().map_or_else(String::new, |location| location.file().to_owned()));
            before(panic);
        }));
    });
    assert!(std::panic::catch_unwind(f).is_err(), "it panics");
    FILE.take()
}

mod places_of_panics {
    use ikra::prelude::*;

    #[soa_class]
    pub struct Body {
        pub mass: f32,
    }
    #[soa_methods]
    impl Body {
        #[kernel]
        pub fn grow(&mut self, by: f32) {
            self.mass += by;
        }
        #[kernel(reduce(Sum))]
        pub fn weight(&self) -> f32 {
            self.mass
        }
    }
    #[soa_world]
    pub struct Sim {
        pub bodies: Objects<Body>,
    }

    fn sim(reserved: usize) -> Sim {
        let mut sim = Sim::new();
        sim.bodies.push(Body { mass: 1.0 }).unwrap();
        sim.bodies.reserve(reserved).unwrap();
        sim
    }

    #[test]
    fn panics_name_the_line_of_the_caller() {
        let stranger: Link<Body> = Link::from_index(9).unwrap();
        let panics: [fn(Link<Body>); 13] = [
            |link| _ = sim(0).get(link).mass(),
            |link| _ = sim(0).get_mut(link),
            |link| sim(0).set(link, body::mass, 1.0),
            |_| sim(1).execute(Body::grow, 1.0),
            |_| sim(1).over(..).execute(Body::grow, 1.0),
            |_| sim(0).over(2..).execute(Body::grow, 1.0),
            |_| _ = sim(1).execute_and_reduce(Body::weight, (), Sum),
            |_| _ = sim(0).over(..7).execute_and_reduce(Body::weight, (), Sum),
            |_| _ = sim(1).execute_and_collect(Body::weight, ()),
            |_| _ = sim(1).all::<Body>().count(),
            |_| _ = sim(0).all::<Body>().range(..9),
            |_| _ = sim(1).bodies.column(body::mass),
            |_| _ = sim(1).bodies.iter().count(),
        ];
        for (n, panic) in panics.into_iter().enumerate() {
            let file = super::file_of_panic(move || panic(stranger));
            assert!(file.ends_with("worlds.rs"), "{n}: {file}");
        }
    }

    #[test]
    fn unwrap_and_main_show_the_message() {
        let mut sim = sim(0);
        let link = sim.bodies.links().next().unwrap();
        let error = sim.on(ikra::Place::Host).over(&[link, link]).execute(Body::grow, 1.0).unwrap_err();
        assert_eq!(format!("{error:?}"), error.to_string());
        assert!(error.to_string().contains("twice"), "{error}");
        let error = "cpu".parse::<ikra::Place>().unwrap_err();
        assert_eq!(format!("{error:?}"), error.to_string());
    }
}
