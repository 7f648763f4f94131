//! `Arc<dyn Trait>` as links of a trait: roots, fields, collections, the way back.

#![allow(missing_docs, reason = "a test, not a library")]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::{Arc, Mutex, RwLock, Weak};

use ikra::prelude::*;
use ikra::trace::{Problem, Trace, TraceAny, TraceAs, TraceError, TraceWorld};

#[soa_class]
pub struct Car {
    pub km: u32,
    pub ahead: Option<ActorLink>,
    #[inline_array(1)]
    pub meets: InnerArray<ActorLink>,
}
#[soa_class]
pub struct Walker {
    pub steps: u32,
    pub friend: ActorLink,
    pub pair: [ActorLink; 2],
}
#[soa_dispatch(Car, Walker)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
}
#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) {
        self.km += 1;
    }
}
#[soa_methods]
impl Actor for Walker {
    fn tick(&mut self) {
        self.steps += 100;
    }
}
#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
    pub walkers: Objects<Walker>,
}

/// A trait whose objects threads may share.
trait PlainActor: TraceAs<Actor> + Send + Sync {
    fn distance(&self) -> u32;
    /// Takes the pointers out.
    fn unlink(&self) -> Vec<Arc<dyn PlainActor>> {
        Vec::new()
    }
}

#[derive(Trace)]
#[trace(class = Car)]
struct PlainCar {
    km: Mutex<u32>,
    ahead: Mutex<Option<Weak<dyn PlainActor>>>,
    meets: RwLock<Vec<Arc<dyn PlainActor>>>,
}

#[derive(Trace)]
#[trace(class = Walker)]
struct PlainWalker {
    steps: u32,
    friend: Arc<dyn PlainActor>,
    pair: [Weak<dyn PlainActor>; 2],
}

impl PlainActor for PlainCar {
    fn distance(&self) -> u32 {
        self.km.lock().unwrap().wrapping_mul(1000)
    }
    fn unlink(&self) -> Vec<Arc<dyn PlainActor>> {
        std::mem::take(&mut *self.meets.write().unwrap())
    }
}
impl PlainActor for Mutex<PlainWalker> {
    fn distance(&self) -> u32 {
        self.lock().unwrap().steps
    }
}

fn car(km: u32) -> Arc<PlainCar> {
    Arc::new(PlainCar { km: km.into(), ahead: Mutex::default(), meets: RwLock::default() })
}

fn is_same<A: ?Sized, B: ?Sized>(one: &Arc<A>, other: &Arc<B>) -> bool {
    std::ptr::addr_eq(Arc::as_ptr(one), Arc::as_ptr(other))
}

#[test]
fn trait_objects_of_threads() {
    let (first, second) = (car(3), car(5));
    let weak = |car: &Arc<PlainCar>| -> Weak<dyn PlainActor> { Arc::<PlainCar>::downgrade(car) };
    let pair = [weak(&first), weak(&second)];
    let walker = Arc::new(Mutex::new(PlainWalker { steps: 1, friend: first.clone(), pair }));
    first.meets.write().unwrap().extend([walker.clone() as Arc<dyn PlainActor>, second.clone()]);
    *first.ahead.lock().unwrap() = Some(weak(&second));
    let before = [Arc::strong_count(&first), Arc::strong_count(&second), Arc::strong_count(&walker)];
    let weaks = [Arc::weak_count(&first), Arc::weak_count(&second), Arc::weak_count(&walker)];

    // Only the walker is a root, by another type of pointer than the fields have.
    let mut town = Town::trace(&(Some(walker.clone()), [walker.clone() as Arc<dyn PlainActor>])).unwrap();
    assert_eq!((town.cars.len(), town.walkers.len()), (2, 1));
    assert_eq!(town.cars.column(car::km), [3, 5]);
    assert_eq!(town.write_back().unwrap(), 0);
    town.execute(Actor::tick, ());
    assert_eq!(town.write_back().unwrap(), 3);
    assert_eq!([first.distance(), second.distance(), walker.distance()], [4000, 6000, 101]);

    // All kinds of fields get other pointers.
    let cars: Vec<_> = town.cars.links().collect();
    let walkers: Vec<_> = town.walkers.links().collect();
    let (a, b, w): (ActorLink, ActorLink, ActorLink) = (cars[0].into(), cars[1].into(), walkers[0].into());
    town.set(walkers[0], walker::friend, b);
    town.set(walkers[0], walker::pair, [w, a]);
    town.set(cars[0], car::ahead, None);
    town.set(cars[1], car::ahead, Some(w));
    town.cars.set_array(car::meets, cars[0], &[b]).unwrap();
    town.cars.set_array(car::meets, cars[1], &[w, a, b]).unwrap();
    assert_eq!(town.write_back().unwrap(), 3);
    {
        let guard = walker.lock().unwrap();
        assert!(is_same(&guard.friend, &second));
        let pair = guard.pair.each_ref().map(|weak| weak.upgrade().unwrap());
        assert!(is_same(&pair[0], &walker) && is_same(&pair[1], &first));
    }
    assert!(first.ahead.lock().unwrap().is_none());
    assert!(is_same(&second.ahead.lock().unwrap().as_ref().unwrap().upgrade().unwrap(), &walker));
    assert!(is_same(&first.meets.read().unwrap()[0], &second));
    let meets = second.meets.read().unwrap().clone();
    assert!(is_same(&meets[0], &walker) && is_same(&meets[1], &first) && is_same(&meets[2], &second));
    drop(meets);

    // A second trace is the same world; then all pointers go back, and every count is as before.
    let again = Town::trace(&walker).unwrap();
    assert_eq!((again.cars.len(), again.walkers.len()), (2, 1));
    drop(again);
    town.set(walkers[0], walker::friend, a);
    town.set(walkers[0], walker::pair, [a, b]);
    town.set(cars[0], car::ahead, Some(b));
    town.set(cars[1], car::ahead, None);
    town.cars.set_array(car::meets, cars[0], &[w, b]).unwrap();
    town.cars.set_array(car::meets, cars[1], &[]).unwrap();
    assert_eq!(town.write_back().unwrap(), 3);
    drop(town);
    assert_eq!([Arc::strong_count(&first), Arc::strong_count(&second), Arc::strong_count(&walker)], before);
    assert_eq!([Arc::weak_count(&first), Arc::weak_count(&second), Arc::weak_count(&walker)], weaks);
    first.meets.write().unwrap().clear();
}

/// Bounds in the type of the object, not of the trait.
trait Bare: TraceAs<Actor> {}
impl Bare for PlainCar {}
#[derive(Trace)]
#[trace(class = Walker, rest(pair = [ActorLink::from(Link::<Car>::from_id(1).unwrap()); 2]))]
struct BareWalker {
    steps: u32,
    friend: Arc<dyn Bare + Send + Sync>,
}
impl Bare for RwLock<BareWalker> {}

#[test]
fn bounds_at_the_type_of_the_object() {
    let car = car(1);
    let walker = Arc::new(RwLock::new(BareWalker { steps: 0, friend: car.clone() }));
    let roots: Vec<Arc<dyn Bare + Send + Sync>> = vec![car.clone(), walker.clone(), walker.clone()];
    let mut town = Town::trace(&roots).unwrap();
    assert_eq!((town.cars.len(), town.walkers.len()), (1, 1));
    town.execute(Actor::tick, ());
    let link = town.walkers.links().next().unwrap();
    town.set(link, walker::friend, link.into());
    assert_eq!(town.write_back().unwrap(), 2);
    assert_eq!((car.distance(), walker.read().unwrap().steps), (2000, 100));
    assert!(is_same(&walker.read().unwrap().friend, &walker));
    walker.write().unwrap().friend = car;
    // Objects of any traced type.
    let any: Arc<dyn TraceAny + Send + Sync> = walker;
    assert_eq!(Town::trace(&[any]).unwrap().cars.len(), 1);
}

#[test]
fn an_object_keeps_its_kind_of_pointer() {
    #[derive(Trace)]
    #[trace(class = Car, rest(meets = InnerArray::new()))]
    struct Mixed {
        km: u32,
        ahead: Option<Rc<dyn TraceAs<Actor>>>,
    }
    let shared = car(1);
    let mixed = Rc::new(RefCell::new(Mixed { km: 2, ahead: None }));
    let mut town = Town::trace(&(&shared, &mixed)).unwrap();
    let links: Vec<_> = town.cars.links().collect();
    town.set(links[1], car::ahead, Some(links[0].into()));
    // The car is in an `Arc`, so no `Rc` can name it.
    let error = town.write_back().unwrap_err();
    assert!(
        matches!(error, TraceError::Object { id: 2, field: Some("ahead"), problem: Problem::OtherType, .. }),
        "{error}"
    );
    // Nothing names the other car as a trait object.
    town.set(links[1], car::ahead, Some(links[1].into()));
    assert!(matches!(town.write_back(), Err(TraceError::Object { problem: Problem::OtherType, .. })));
    let root: Rc<dyn TraceAs<Actor>> = mixed.clone();
    let mut town = Town::trace(&(&mixed, root)).unwrap();
    let link = town.link_to(&mixed).unwrap();
    town.set(link, car::ahead, Some(link.into()));
    town.write_back().unwrap();
    assert!(std::ptr::addr_eq(Rc::as_ptr(mixed.borrow().ahead.as_ref().unwrap()), Rc::as_ptr(&mixed)));
    mixed.borrow_mut().ahead = None;
}

#[test]
fn a_million_trait_objects_in_a_chain() {
    let first = car(0);
    let mut last: Arc<PlainCar> = first.clone();
    for km in 1..1_000_000 {
        let next = car(km);
        last.meets.write().unwrap().push(next.clone());
        last = next;
    }
    let root: Arc<dyn PlainActor> = first.clone();
    let mut town = Town::trace(&root).unwrap();
    assert_eq!(town.cars.len(), 1_000_000);
    town.execute(Actor::tick, ());
    assert_eq!(town.write_back().unwrap(), 1_000_000);
    assert_eq!(*last.km.lock().unwrap(), 1_000_000);
    drop(town);
    drop(last);
    // Taken apart from the first on, so that no drop recurses.
    let mut meets = std::mem::take(&mut *first.meets.write().unwrap());
    drop((first, root));
    let mut count = 1;
    while let Some(next) = meets.pop() {
        count += 1;
        assert_eq!(next.distance(), count * 1000);
        // The only pointer to it: nothing that the trace held is left.
        assert_eq!(Arc::strong_count(&next), 1);
        meets = next.unlink();
    }
    assert_eq!(count, 1_000_000);
}
