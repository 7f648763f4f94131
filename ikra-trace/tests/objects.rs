//! Tracing and writing back, one thing at a time.

#![allow(missing_docs, reason = "a test, not a library")]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::{Rc, Weak};
use std::sync::{Arc, Mutex, RwLock, Weak as ArcWeak};

use ikra::prelude::*;
use ikra::trace::{Problem, Trace, TraceAs, TraceError, TraceWorld};

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    pub value: u32,
    pub next: Option<Link<Node>>,
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn double(&mut self) {
        self.value *= 2;
    }
    #[kernel(snapshot(next))]
    pub fn skip(&mut self) {
        self.next = self.next.and_then(|next| next.next());
    }
    #[kernel]
    pub fn die(&mut self) {
        if self.value == 0 {
            self.remove();
        }
    }
    #[kernel]
    pub fn breed(&mut self, young: Spawn<Node>) {
        self.value += 1;
        young.push(Node { value: 0, next: None });
    }
}

#[soa_world]
pub struct List {
    pub nodes: Objects<Node>,
}

mod rc {
    use super::*;
    #[derive(Trace)]
    #[trace(class = Node)]
    pub(super) struct Plain {
        pub(super) value: Cell<u32>,
        pub(super) next: RefCell<Option<Rc<Plain>>>,
    }
    pub(super) fn node(value: u32, next: Option<Rc<Plain>>) -> Rc<Plain> {
        Rc::new(Plain { value: Cell::new(value), next: RefCell::new(next) })
    }
}

mod boxes {
    use super::*;
    #[derive(Trace)]
    #[trace(class = Node)]
    pub(super) struct Plain {
        pub(super) value: u32,
        pub(super) next: Option<Box<Plain>>,
    }
    #[derive(Trace)]
    #[trace(class = Node)]
    pub(super) struct InCells {
        pub(super) value: Cell<u32>,
        pub(super) next: RefCell<Option<Box<InCells>>>,
    }
}

#[test]
fn a_million_objects_in_a_chain() {
    let first = rc::node(0, None);
    let mut last = Rc::clone(&first);
    for value in 1..1_000_000 {
        let next = rc::node(value, None);
        *last.next.borrow_mut() = Some(Rc::clone(&next));
        last = next;
    }
    let mut list = List::trace(&first).unwrap();
    assert_eq!(list.nodes.len(), 1_000_000);
    list.execute(Node::double, ());
    // The first has the value 0.
    assert_eq!(list.write_back().unwrap(), 999_999);
    assert_eq!(last.value.get(), 1_999_998);
    drop(list);
    let mut node = Some(first);
    while let Some(next) = node {
        node = next.next.take();
    }
}

#[test]
fn a_million_objects_in_boxes() {
    let node = |next: Option<Box<boxes::Plain>>, value| boxes::Plain { value, next };
    let chain = (0..1_000_000).fold(None, |next, value| Some(Box::new(node(next, value))));
    let chain = Rc::new(RefCell::new(*chain.unwrap()));
    let mut list = List::trace(&chain).unwrap();
    assert_eq!(list.nodes.len(), 1_000_000);
    list.execute(Node::double, ());
    assert_eq!(list.write_back().unwrap(), 999_999);
    let mut next = chain.borrow_mut().next.take();
    let mut expected = 999_998;
    while let Some(mut node) = next {
        assert_eq!(node.value, 2 * expected);
        expected = expected.saturating_sub(1);
        next = node.next.take();
    }
}

#[test]
fn boxes_in_cells_that_own_each_other_too_deep() {
    let chain = |length| {
        let node = |next, value| Box::new(boxes::InCells { value: Cell::new(value), next: RefCell::new(next) });
        Rc::new(*(0..length).fold(None, |next, value| Some(node(next, value))).unwrap())
    };
    let short = chain(50);
    let mut list = List::trace(&short).unwrap();
    list.execute(Node::double, ());
    assert_eq!(list.write_back().unwrap(), 49);
    assert_eq!(short.next.borrow().as_ref().unwrap().value.get(), 96);
    let error = List::trace(&chain(1000)).unwrap_err().to_string();
    assert!(error.starts_with("`Node::next` of Node#101 is in more than 100 cells"), "{error}");
}

#[test]
fn a_box_keeps_its_object() {
    let last = Some(Box::new(boxes::Plain { value: 2, next: None }));
    let middle = Some(Box::new(boxes::Plain { value: 1, next: last }));
    let first = Rc::new(RefCell::new(boxes::Plain { value: 0, next: middle }));
    let mut list = List::trace(&first).unwrap();
    list.execute(Node::skip, ());
    let error = list.write_back().unwrap_err();
    assert!(matches!(error, TraceError::Object { field: Some("next"), problem: Problem::Owned, .. }), "{error}");
}

#[test]
fn cycles_and_sharing() {
    let a = rc::node(1, None);
    let b = rc::node(2, Some(Rc::clone(&a)));
    *a.next.borrow_mut() = Some(Rc::clone(&b));
    let c = rc::node(3, Some(Rc::clone(&a)));
    let mut list = List::trace(&(&c, [a.clone(), b.clone()])).unwrap();
    assert_eq!(list.nodes.column(node::value), [3, 1, 2]);
    let link = list.link_to(&a).unwrap();
    assert!(Rc::ptr_eq(&list.object::<rc::Plain>(link).unwrap(), &a));
    assert!(list.object::<boxes::Plain>(link).is_none());
    list.execute(Node::skip, ());
    // All have a new link: the next but one.
    assert_eq!(list.write_back().unwrap(), 3);
    assert!(Rc::ptr_eq(a.next.borrow().as_ref().unwrap(), &a));
    assert!(Rc::ptr_eq(c.next.borrow().as_ref().unwrap(), &b));
    drop(list);
    assert_eq!((Rc::strong_count(&a), Rc::strong_count(&b), Rc::strong_count(&c)), (2, 3, 1));
    [&a, &b, &c].into_iter().for_each(|node| drop(node.next.take()));
}

#[test]
fn only_changed_objects_and_columns_are_touched() {
    let a = rc::node(1, None);
    let b = rc::node(2, Some(Rc::clone(&a)));
    let mut list = List::trace(&b).unwrap();
    // A change by the program, in an object and in a column that no kernel changes, stays.
    a.value.set(10);
    *b.next.borrow_mut() = None;
    let link = list.link_to(&b).unwrap();
    list.set(link, node::value, 7);
    let borrowed = b.next.borrow();
    assert_eq!(list.write_back().unwrap(), 1);
    drop(borrowed);
    assert_eq!((a.value.get(), b.value.get(), b.next.borrow().is_none()), (10, 7, true));
    assert_eq!(list.write_back().unwrap(), 0);
}

#[test]
fn borrowed_objects_and_fields() {
    let a = Rc::new(RefCell::new(boxes::Plain { value: 1, next: None }));
    let guard = a.borrow_mut();
    assert_eq!(
        List::trace(&a).unwrap_err().to_string(),
        "object Node#1 is borrowed; end its borrows before `trace` and `write_back`"
    );
    drop(guard);
    let mut list = List::trace(&a).unwrap();
    list.execute(Node::double, ());
    let guard = a.borrow();
    let error = list.write_back().unwrap_err();
    assert!(matches!(error, TraceError::Object { class: "Node", field: None, id: 1, problem: Problem::Borrowed }));
    drop(guard);
    // The next call writes all.
    assert_eq!(list.write_back().unwrap(), 1);
    assert_eq!(a.borrow().value, 2);

    let a = rc::node(1, None);
    let b = rc::node(2, Some(Rc::clone(&a)));
    let guard = a.next.borrow_mut();
    let error = List::trace(&b).unwrap_err().to_string();
    assert_eq!(error, "`Node::next` of Node#2 is borrowed; end its borrows before `trace` and `write_back`");
    drop(guard);
}

#[test]
fn shared_fields_without_cells() {
    #[derive(Trace)]
    #[trace(class = Node)]
    struct Fixed {
        value: u32,
        next: Option<Weak<Fixed>>,
    }
    let a = Rc::new(Fixed { value: 1, next: None });
    let b = Rc::new(Fixed { value: 2, next: Some(Rc::downgrade(&a)) });
    let mut list = List::trace(&b).unwrap();
    assert_eq!(list.nodes.len(), 2);
    assert_eq!(list.write_back().unwrap(), 0);
    list.execute(Node::double, ());
    let error = list.write_back().unwrap_err().to_string();
    assert!(
        error.starts_with("`Node::value` of Node#1 has changed, and nothing can write it through an `Rc`"),
        "{error}"
    );
    assert_eq!((a.value, b.next.is_some()), (1, true));
    // A `Weak` whose object is gone is `None`.
    drop((list, a));
    assert_eq!(List::trace(&b).unwrap().nodes.column(node::next), [None]);
}

/// An error of a field that nothing can write does not outlast the change.
#[test]
fn a_refused_change_that_is_taken_back() {
    #[derive(Trace)]
    #[trace(class = Node)]
    struct Half {
        value: u32,
        next: RefCell<Option<Rc<Half>>>,
    }
    let last = Rc::new(Half { value: 1, next: None.into() });
    let first = Rc::new(Half { value: 2, next: Some(last.clone()).into() });
    let mut list = List::trace(&first).unwrap();
    let (one, two) = (list.link_to(&first).unwrap(), list.link_to(&last).unwrap());
    list.set(two, node::next, Some(one));
    list.set(one, node::value, 5);
    assert!(matches!(list.write_back(), Err(TraceError::Object { problem: Problem::Immutable, .. })));
    list.set(one, node::value, 2);
    assert_eq!(list.write_back().unwrap(), 1);
    assert!(last.next.borrow().as_ref().is_some_and(|next| Rc::ptr_eq(next, &first)));
    assert_eq!((list.write_back().unwrap(), first.value), (0, 2));
    last.next.take();
}

/// An ordinary type may lack a field of the class. Its objects do not count if this field changes.
#[test]
fn only_written_objects_count() {
    #[derive(Trace)]
    #[trace(class = Node, rest(value = 7))]
    struct Bare {
        next: RefCell<Option<Rc<Bare>>>,
    }
    let bare = Rc::new(Bare { next: None.into() });
    let mut list = List::trace(&(rc::node(1, None), bare)).unwrap();
    list.execute(Node::double, ());
    assert_eq!(list.write_back().unwrap(), 1);
}

/// A function of `with` gets the field by `&mut`, so that a cell does not help a shared object.
#[test]
fn cells_that_are_converted() {
    mod wide {
        use std::cell::Cell;

        pub(super) fn trace(value: &Cell<u64>) -> u32 {
            value.get() as u32
        }
        pub(super) fn write_back(value: &mut Cell<u64>, new: u32) {
            value.set(new.into());
        }
    }
    #[derive(Trace)]
    #[trace(class = Node, rest(next = None))]
    struct Wide {
        #[trace(with = wide)]
        value: Cell<u64>,
    }
    let (shared, inner) = (Rc::new(Wide { value: 1.into() }), Rc::new(RefCell::new(Wide { value: 2.into() })));
    let mut list = List::trace(&(&inner, &shared)).unwrap();
    list.execute(Node::double, ());
    let error = list.write_back().unwrap_err().to_string();
    assert!(error.contains("its function of `with` needs `&mut`"), "{error}");
    assert_eq!((shared.value.get(), inner.borrow().value.get()), (1, 4));
}

#[soa_class]
pub struct Strict {
    pub next: Link<Strict>,
}
#[soa_world]
pub struct Stricts {
    pub stricts: Objects<Strict>,
}

#[test]
fn a_dropped_object_cannot_be_a_link() {
    #[derive(Trace)]
    #[trace(class = Strict)]
    struct Plain {
        next: RefCell<Weak<Plain>>,
    }
    let (a, b) = (Rc::new(Plain { next: RefCell::default() }), Rc::new(Plain { next: RefCell::default() }));
    *a.next.borrow_mut() = Rc::downgrade(&b);
    *b.next.borrow_mut() = Rc::downgrade(&a);
    assert_eq!(Stricts::trace(&a).unwrap().stricts.len(), 2);
    drop(b);
    let error = Stricts::trace(&a).unwrap_err().to_string();
    assert!(error.starts_with("`Strict::next` of Strict#1 is a `Weak` whose object was dropped"), "{error}");
}

#[test]
fn threads_and_locks() {
    #[derive(Trace)]
    #[trace(class = Node)]
    struct Plain {
        value: Mutex<u32>,
        next: RwLock<Option<Arc<Plain>>>,
    }
    #[derive(Trace)]
    #[trace(class = Node)]
    struct Behind {
        value: u32,
        next: ArcWeak<Mutex<Behind>>,
    }
    let a = Arc::new(Plain { value: Mutex::new(1), next: RwLock::default() });
    let b = Arc::new(Plain { value: Mutex::new(2), next: RwLock::new(Some(Arc::clone(&a))) });
    let c = Arc::new(Mutex::new(Behind { value: 3, next: ArcWeak::new() }));
    c.lock().unwrap().next = Arc::downgrade(&c);
    // Two ordinary types of one class.
    let mut list = List::trace(&(&b, &c)).unwrap();
    assert_eq!(list.nodes.len(), 3);
    list.execute(Node::double, ());
    list.write_back().unwrap();
    assert_eq!((*a.value.lock().unwrap(), *b.value.lock().unwrap(), c.lock().unwrap().value), (2, 4, 6));
    // An object in an `Arc` is in no `Rc`.
    assert!(list.nodes.links().all(|link| list.object::<Plain>(link).is_none()));
    // A link to an object of the other type.
    let (to, from) = (list.nodes.links().nth(1).unwrap(), list.nodes.links().next().unwrap());
    list.set(from, node::next, Some(to));
    let error = list.write_back().unwrap_err();
    assert!(matches!(error, TraceError::Object { field: Some("next"), problem: Problem::OtherType, .. }), "{error}");
    drop(list);
    assert_eq!([Arc::strong_count(&a), Arc::strong_count(&b), Arc::strong_count(&c)], [2, 1, 1]);

    let guard = a.value.lock().unwrap();
    assert!(matches!(List::trace(&b), Err(TraceError::Object { problem: Problem::Borrowed, .. })));
    drop(guard);
    let poison = catch_unwind(AssertUnwindSafe(|| {
        let _guard = a.value.lock();
        panic!("on purpose");
    }));
    assert!(poison.is_err());
    let error = List::trace(&b).unwrap_err().to_string();
    assert!(error.starts_with("`Node::value` of Node#2 is behind a lock that a panic has poisoned"), "{error}");
}

#[test]
fn objects_that_go_and_come() {
    let a = rc::node(0, None);
    let b = rc::node(2, Some(Rc::clone(&a)));
    let mut list = List::trace(&b).unwrap();
    let new = list.nodes.push(Node { value: 5, next: None }).unwrap();
    list.execute(Node::double, ());
    assert_eq!(list.write_back().unwrap(), 1);
    let link = list.link_to(&a).unwrap();
    list.set(link, node::next, Some(new));
    let error = list.write_back().unwrap_err();
    assert!(matches!(error, TraceError::Object { id: 2, problem: Problem::NotTraced, .. }), "{error}");
    list.set(link, node::next, None);
    list.execute(Node::die, ());
    let error = list.write_back().unwrap_err();
    assert!(matches!(error, TraceError::IdsChanged { class: "Node" }), "{error}");

    let mut list = List::trace(&b).unwrap();
    list.sort_by_key(Node::value_of, ()).unwrap();
    assert!(matches!(list.write_back(), Err(TraceError::IdsChanged { .. })));
}

#[test]
fn another_world_in_its_place() {
    let [a, b] = [[1, 2], [10, 20]].map(|values| values.map(|value| rc::node(value, None)));
    let values = |nodes: &[Rc<rc::Plain>; 2]| nodes.each_ref().map(|node| node.value.get());
    let (mut one, mut other) = (List::trace(&a).unwrap(), List::trace(&b).unwrap());
    std::mem::swap(&mut *one, &mut *other);
    for list in [&mut one, &mut other] {
        assert!(matches!(list.write_back(), Err(TraceError::IdsChanged { class: "Node" })));
    }
    assert_eq!((values(&a), values(&b)), ([1, 2], [10, 20]));
    std::mem::swap(&mut *one, &mut *other);
    // A clone is the same world at another time.
    let before = one.clone();
    one.execute(Node::double, ());
    one.write_back().unwrap();
    *one = before;
    assert_eq!(one.write_back().unwrap(), 2);
    assert_eq!(values(&a), [1, 2]);
    one.nodes = Objects::new();
    one.nodes.extend([5, 6].map(|value| Node { value, next: None })).unwrap();
    assert!(matches!(one.write_back(), Err(TraceError::IdsChanged { .. })));
    assert_eq!(values(&a), [1, 2]);
}

#[test]
fn reserved_objects() {
    let a = rc::node(1, None);
    let mut list = List::trace(&a).unwrap();
    let link = list.nodes.reserve(1).unwrap().next().unwrap();
    let error = list.write_back().unwrap_err();
    assert!(matches!(error, TraceError::World(ikra::Error::NotAllInitialized { pending: 1, .. })), "{error}");
    list.nodes.init(link, Node { value: 0, next: None }).unwrap();
    assert_eq!(list.write_back().unwrap(), 0);
}

/// No ordinary object belongs to them, so their changes are nobody's.
#[test]
fn objects_that_kernels_make() {
    let a = rc::node(1, None);
    let mut list = List::trace(&a).unwrap();
    for value in 2..5 {
        list.execute(Node::breed, ());
        assert_eq!((list.write_back().unwrap(), a.value.get()), (1, value));
    }
    let young = list.nodes.links().nth(1).unwrap();
    list.set(young, node::value, 99);
    assert_eq!(list.write_back().unwrap(), 0);
    list.set(young, node::value, 0);
    list.execute(Node::die, ());
    assert!(matches!(list.write_back(), Err(TraceError::IdsChanged { class: "Node" })));
}

/// The trace holds the last pointers to a chain, and drops it without recursion: in the order of the links, in the
/// opposite one, and with pointers to trait objects.
#[test]
fn chains_that_only_the_trace_holds() {
    let mut nodes: Vec<_> = vec![rc::node(0, None)];
    for value in 1..500_000 {
        nodes.push(rc::node(value, nodes.last().cloned()));
    }
    let list = List::trace(&nodes).unwrap();
    while nodes.pop().is_some() {}
    drop(list);
    let mut node = rc::node(0, None);
    for value in 1..500_000 {
        node = rc::node(value, Some(node));
    }
    let list = List::trace(&node).unwrap();
    drop(node);
    drop(list);

    trait PlainActor: TraceAs<Actor> {}
    #[derive(Trace)]
    #[trace(class = Car, rest(behind = None, meets = InnerArray::new()))]
    struct PlainCar {
        km: u32,
        ahead: Option<Rc<dyn PlainActor>>,
    }
    impl PlainActor for PlainCar {}
    let mut car: Rc<dyn PlainActor> = Rc::new(PlainCar { km: 0, ahead: None });
    for km in 1..500_000 {
        car = Rc::new(PlainCar { km, ahead: Some(car) });
    }
    let town = Town::trace(&car).unwrap();
    drop(car);
    drop(town);
}

#[soa_methods]
impl Node {
    #[kernel]
    pub fn value_of(&self) -> u32 {
        self.value
    }
}

#[soa_class(capacity = 3)]
pub struct Few {
    pub number: u64,
    pub letter: u32,
}
#[soa_world]
pub struct FewOnly {
    pub few: Objects<Few>,
}

#[test]
fn limits() {
    #[derive(Trace)]
    #[trace(class = Few)]
    struct Plain {
        number: usize,
        letter: char,
    }
    let node = |letter| Rc::new(RefCell::new(Plain { number: usize::MAX, letter }));
    let nodes: Vec<_> = "abcd".chars().map(node).collect();
    assert!(matches!(FewOnly::trace(&nodes), Err(TraceError::World(ikra::Error::CapacityExceeded { .. }))));
    let mut few = FewOnly::trace(&nodes[..3]).unwrap();
    assert_eq!(few.few.column(few::letter), ['a', 'b', 'c'].map(u32::from));
    few.few.column_mut(few::letter)[1] = 0xD800;
    let error = few.write_back().unwrap_err();
    assert!(matches!(error, TraceError::Object { id: 2, problem: Problem::OutOfRange, .. }), "{error}");
    // A class that the world lacks.
    assert!(matches!(List::trace(&nodes[..3]), Err(TraceError::NotInWorld { class: "Few" })));
    assert!(List::trace::<[Rc<rc::Plain>; 0]>(&[]).unwrap().nodes.is_empty());
}

#[soa_class]
pub struct Car {
    pub km: u32,
    pub ahead: Option<ActorLink>,
    pub behind: Option<ActorLink>,
    #[inline_array(1)]
    pub meets: InnerArray<ActorLink>,
}
#[soa_class]
pub struct Walker {
    pub steps: u32,
    pub friend: ActorLink,
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
        self.ahead = None;
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

#[soa_class]
pub struct Ball {
    pub pos: glam::Vec3,
    #[atomic]
    pub hits: u32,
    #[soa(flatten)]
    pub vel: glam::DVec2,
    #[inline_array(object)]
    pub last: [glam::Vec2; 2],
}
#[soa_world]
pub struct Court {
    pub balls: Objects<Ball>,
}

#[test]
fn vectors_and_atomics() {
    use std::sync::atomic::{AtomicU32, Ordering};

    use glam::{DVec2, Vec2, Vec3};
    #[derive(Trace)]
    #[trace(class = Ball)]
    struct Plain {
        pos: Cell<Vec3>,
        hits: AtomicU32,
        vel: Cell<DVec2>,
        last: [Cell<Vec2>; 2],
    }
    let ball = Rc::new(Plain { pos: Cell::default(), hits: 2.into(), vel: Cell::default(), last: Default::default() });
    let mut court = Court::trace(&ball).unwrap();
    let link = court.link_to(&ball).unwrap();
    court.get(link).hits().add(3);
    court.get_mut(link).pos.y = 1.0;
    court.get_mut(link).vel = DVec2::X;
    court.get_mut(link).last.set(1, Vec2::ONE);
    assert_eq!(court.write_back().unwrap(), 1);
    assert_eq!((ball.pos.get(), ball.hits.load(Ordering::Relaxed), ball.vel.get()), (Vec3::Y, 5, DVec2::X));
    assert_eq!(ball.last.each_ref().map(Cell::get), [Vec2::ZERO, Vec2::ONE]);
    assert_eq!(court.write_back().unwrap(), 0);
}

#[test]
fn links_of_traits_have_room_for_fewer_objects() {
    let any_link = |id| ikra::trace::rt::any_link::<Actor, _>(Link::<Car>::from_id(id).unwrap());
    assert!(any_link(u32::MAX / 2).is_ok());
    assert!(matches!(any_link(u32::MAX / 2 + 1), Err(Problem::TooMany)));
}

#[test]
fn enums_of_pointers() {
    #[derive(Clone, Trace)]
    #[trace(link = Actor)]
    enum PlainActor {
        Car(Rc<RefCell<PlainCar>>),
        Walker(Rc<RefCell<PlainWalker>>),
    }
    #[derive(Trace)]
    #[trace(class = Car, rest(behind = None))]
    struct PlainCar {
        km: u32,
        ahead: Option<PlainActor>,
        meets: Vec<PlainActor>,
    }
    #[derive(Trace)]
    #[trace(class = Walker)]
    struct PlainWalker {
        steps: u32,
        friend: PlainActor,
    }
    let car = Rc::new(RefCell::new(PlainCar { km: 1, ahead: None, meets: Vec::new() }));
    let friend = PlainActor::Car(Rc::clone(&car));
    let walker = Rc::new(RefCell::new(PlainWalker { steps: 5, friend: friend.clone() }));
    car.borrow_mut().ahead = Some(friend.clone());
    car.borrow_mut().meets = vec![PlainActor::Walker(Rc::clone(&walker)), friend.clone()];
    let roots = [PlainActor::Walker(Rc::clone(&walker)), friend];
    let mut town = Town::trace(&roots).unwrap();
    assert_eq!((town.cars.len(), town.walkers.len()), (1, 1));
    town.execute(Actor::tick, ());
    let (to, from) = (town.link_to(&walker).unwrap(), town.link_to(&car).unwrap());
    town.set(to, walker::friend, to.into());
    town.cars.set_array(car::meets, from, &[to.into(); 3]).unwrap();
    assert_eq!(town.write_back().unwrap(), 2);
    assert_eq!((car.borrow().km, car.borrow().ahead.is_none(), walker.borrow().steps), (2, true, 105));
    assert!(matches!(&walker.borrow().friend, PlainActor::Walker(friend) if Rc::ptr_eq(friend, &walker)));
    assert!(car.borrow().meets.iter().all(|actor| matches!(actor, PlainActor::Walker(_))));
    assert_eq!(car.borrow().meets.len(), 3);
    drop((town, roots));
    car.borrow_mut().meets.clear();
    walker.borrow_mut().friend = PlainActor::Car(car);
}

#[test]
fn trait_objects() {
    trait PlainActor: TraceAs<Actor> {
        fn distance(&self) -> u32;
    }
    #[derive(Trace)]
    #[trace(class = Car, rest(meets = InnerArray::new()))]
    struct PlainCar {
        km: Cell<u32>,
        ahead: RefCell<Option<Rc<dyn PlainActor>>>,
        behind: RefCell<Option<Weak<dyn PlainActor>>>,
    }
    #[derive(Trace)]
    #[trace(class = Walker)]
    struct PlainWalker {
        steps: Cell<u32>,
        friend: RefCell<Rc<dyn PlainActor>>,
    }
    impl PlainActor for PlainCar {
        fn distance(&self) -> u32 {
            self.km.get() * 1000
        }
    }
    impl PlainActor for PlainWalker {
        fn distance(&self) -> u32 {
            self.steps.get()
        }
    }
    let car = || Rc::new(PlainCar { km: Cell::new(3), ahead: RefCell::default(), behind: RefCell::default() });
    let (first, second) = (car(), car());
    let walker = Rc::new(PlainWalker { steps: Cell::new(1), friend: RefCell::new(first.clone()) });
    *first.ahead.borrow_mut() = Some(walker.clone());
    let behind: Weak<dyn PlainActor> = Rc::<PlainWalker>::downgrade(&walker);
    *second.behind.borrow_mut() = Some(behind);
    let roots: [Rc<dyn PlainActor>; 3] = [walker.clone(), first.clone(), second.clone()];
    let mut town = Town::trace(&roots).unwrap();
    assert_eq!((town.cars.len(), town.walkers.len()), (2, 1));
    let (walker_link, second_link) = (town.link_to(&walker).unwrap(), town.link_to(&second).unwrap());
    town.set(walker_link, walker::friend, walker_link.into());
    town.execute(Actor::tick, ());
    town.write_back().unwrap();
    assert_eq!(roots.each_ref().map(|actor| actor.distance()), [101, 4000, 4000]);
    assert!(first.ahead.borrow().is_none());
    assert_eq!(walker.friend.borrow().distance(), 101);
    let behind = second.behind.borrow_mut().take().and_then(|behind| behind.upgrade());
    assert_eq!(behind.map(|behind| behind.distance()), Some(101));
    // Only the roots name the second car as a trait object.
    town.set(walker_link, walker::friend, second_link.into());
    town.write_back().unwrap();
    assert_eq!(walker.friend.borrow().distance(), 4000);
}
