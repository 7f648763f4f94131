//! Objects in `Box`es, and lists of pointers of several kinds: kernels and the program change who owns what.

#![allow(missing_docs, reason = "a test, not a library")]

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::{Rc, Weak};

use ikra::prelude::*;
use ikra::trace::{Problem, Trace, TraceError, TraceWorld, Traced};

#[soa_class]
pub struct Part {
    pub hp: u32,
}
#[soa_methods]
impl Part {
    #[kernel]
    pub fn hit(&mut self) {
        self.hp += 100;
    }
}
#[soa_class]
pub struct Owner {
    #[inline_array(4)]
    pub parts: InnerArray<Link<Part>>,
    pub two: [Option<Link<Part>>; 2],
}
#[soa_world]
pub struct Shop {
    pub owners: Objects<Owner>,
    pub parts: Objects<Part>,
}

#[derive(Debug, Trace)]
#[trace(class = Part)]
struct PlainPart {
    hp: u32,
}
#[derive(Trace)]
#[trace(class = Owner)]
#[allow(clippy::vec_box, reason = "a `Box` becomes a link")]
struct PlainOwner {
    parts: RefCell<Vec<Box<PlainPart>>>,
    two: RefCell<[Option<Box<PlainPart>>; 2]>,
}

fn part(hp: u32) -> Box<PlainPart> {
    Box::new(PlainPart { hp })
}

/// An owner of parts 1 to 3 in its list, and of parts 4 and 5.
fn owner() -> Rc<PlainOwner> {
    let parts = (1..4).map(part).collect();
    Rc::new(PlainOwner { parts: RefCell::new(parts), two: RefCell::new([Some(part(4)), Some(part(5))]) })
}

fn list(owner: &PlainOwner) -> Vec<u32> {
    owner.parts.borrow().iter().map(|part| part.hp).collect()
}
fn two(owner: &PlainOwner) -> [Option<u32>; 2] {
    owner.two.borrow().each_ref().map(|part| part.as_ref().map(|part| part.hp))
}
fn addresses(owner: &PlainOwner) -> Vec<*const PlainPart> {
    owner.parts.borrow().iter().map(|part| &raw const **part).collect()
}

/// Stores these parts in the first owner's list of the world.
fn set_parts(shop: &mut Traced<Shop>, ids: &[u32]) {
    let owner = Link::from_id(1).unwrap();
    let parts: Vec<_> = ids.iter().map(|&id| Link::from_id(id).unwrap()).collect();
    shop.owners.set_array(owner::parts, owner, &parts).unwrap();
}

#[track_caller]
fn assert_gone(shop: &mut Traced<Shop>, part: u32) {
    let error = shop.write_back().unwrap_err();
    let TraceError::Object { class: "Part", field: None, id, problem: Problem::Gone } = error else {
        panic!("{error}");
    };
    assert_eq!(id, part);
}

#[test]
fn the_world_removes_boxes() {
    let owner = owner();
    let before = addresses(&owner);
    let mut shop = Shop::trace(&owner).unwrap();
    set_parts(&mut shop, &[1, 2]);
    assert_eq!(shop.write_back().unwrap(), 1);
    assert_eq!(addresses(&owner), before[..2]);
    // The trace keeps the part that was removed, as it keeps objects in `Rc`s.
    shop.execute(Part::hit, ());
    assert_eq!(shop.write_back().unwrap(), 5);
    assert_eq!((list(&owner), two(&owner)), (vec![101, 102], [Some(104), Some(105)]));
    // The first goes: the second box moves along with its link.
    set_parts(&mut shop, &[2]);
    shop.set(Link::from_id(1).unwrap(), owner::two, [Some(Link::from_id(4).unwrap()), None]);
    assert_eq!(shop.write_back().unwrap(), 1);
    assert_eq!(addresses(&owner), before[1..2]);
    shop.execute(Part::hit, ());
    assert_eq!(shop.write_back().unwrap(), 5);
    assert_eq!((list(&owner), two(&owner)), (vec![202], [Some(204), None]));
}

#[test]
fn the_world_sorts_boxes() {
    let owner = owner();
    let before = addresses(&owner);
    let mut shop = Shop::trace(&owner).unwrap();
    set_parts(&mut shop, &[3, 1, 2]);
    shop.execute(Part::hit, ());
    assert_eq!(shop.write_back().unwrap(), 6);
    assert_eq!(addresses(&owner), [before[2], before[0], before[1]]);
    assert_eq!(list(&owner), [103, 101, 102]);
}

/// Each element is found by what it leads to, without a search among the others.
#[test]
fn long_lists_that_are_reversed() {
    // A search for each element would take minutes.
    const LEN: u32 = 100_000;
    let owner = owner();
    owner.parts.borrow_mut().extend((4..=LEN).map(part));
    let mut shop = Shop::trace(&owner).unwrap();
    set_parts(&mut shop, &(1..=LEN).rev().collect::<Vec<_>>());
    assert_eq!(shop.write_back().unwrap(), 1);
    assert!(list(&owner).into_iter().eq((1..=LEN).rev()));

    let person = |age, friends| Rc::new(PlainPerson { age: Cell::new(age), friends: RefCell::new(friends) });
    let people: Vec<_> = (0..LEN).map(|age| person(age, vec![])).collect();
    let relations = people.iter().map(|friend| match friend.age.get() % 3 {
        0 => Relation::Friend(friend.clone()),
        1 => Relation::Enemy(friend.clone()),
        _ => Relation::Weakly(Rc::downgrade(friend)),
    });
    let host = person(LEN, relations.collect());
    let before = self::relations(&host);
    let mut folk = Folk::trace(&host).unwrap();
    let link = folk.link_to(&host).unwrap();
    let friends: Vec<_> = people.iter().rev().map(|friend| folk.link_to(friend).unwrap().into()).collect();
    folk.people.set_array(person::friends, link, &friends).unwrap();
    assert_eq!(folk.write_back().unwrap(), 1);
    assert!(self::relations(&host).into_iter().eq(before.into_iter().rev()));
}

#[test]
fn an_error_leaves_a_list_as_it_was() {
    let owner = owner();
    let before = addresses(&owner);
    let mut shop = Shop::trace(&owner).unwrap();
    // Part 4 has another owner; one part is listed twice; a part is new.
    let new = shop.parts.push(Part { hp: 9 }).unwrap().id();
    for parts in [&[1, 4][..], &[2, 2], &[new]] {
        set_parts(&mut shop, parts);
        let error = shop.write_back().unwrap_err();
        assert!(matches!(error, TraceError::Object { field: Some("parts"), problem: Problem::Owned, .. }), "{error}");
        assert_eq!(addresses(&owner), before);
    }
    set_parts(&mut shop, &[1, 2, 3]);
    let (four, five) = (Link::from_id(4), Link::from_id(5));
    shop.set(Link::from_id(1).unwrap(), owner::two, [None, four]);
    let error = shop.write_back().unwrap_err();
    assert!(matches!(error, TraceError::Object { field: Some("two"), problem: Problem::Owned, .. }), "{error}");
    assert_eq!(two(&owner), [Some(4), Some(5)]);
    shop.set(Link::from_id(1).unwrap(), owner::two, [four, five]);
    // The owner may have been written before the error.
    assert_eq!(shop.write_back().unwrap(), 1);
    assert_eq!(shop.write_back().unwrap(), 0);
    assert_eq!((list(&owner), two(&owner)), (vec![1, 2, 3], [Some(4), Some(5)]));
}

#[test]
fn the_program_moves_boxes() {
    let owner = owner();
    let mut shop = Shop::trace(&owner).unwrap();
    shop.execute(Part::hit, ());
    owner.parts.borrow_mut().reverse();
    owner.two.borrow_mut().reverse();
    std::mem::swap(&mut owner.parts.borrow_mut()[0], owner.two.borrow_mut()[0].as_mut().unwrap());
    assert_eq!(shop.write_back().unwrap(), 5);
    assert_eq!((list(&owner), two(&owner)), (vec![105, 102, 101], [Some(103), Some(104)]));
}

#[test]
fn the_program_takes_boxes_out() {
    let owner = owner();
    let mut shop = Shop::trace(&owner).unwrap();
    shop.execute(Part::hit, ());
    let taken = owner.parts.borrow_mut().remove(0);
    assert_gone(&mut shop, 1);
    // The others are written, and the next call writes all.
    assert_eq!((list(&owner), taken.hp), (vec![102, 103], 1));
    owner.parts.borrow_mut().push(taken);
    assert_eq!(shop.write_back().unwrap(), 5);
    assert_eq!(list(&owner), [102, 103, 101]);
    // A part that has not changed may go.
    let taken = owner.parts.borrow_mut().pop();
    let part = Link::<Part>::from_id(2).unwrap();
    shop.get_mut(part).hp = 7;
    assert_eq!(shop.write_back().unwrap(), 1);
    assert_eq!(list(&owner), [7, 103]);
    // Another box in its place does not get its value.
    owner.parts.borrow_mut().insert(0, self::part(55));
    shop.get_mut(Link::<Part>::from_id(1).unwrap()).hp = 8;
    assert_gone(&mut shop, 1);
    assert_eq!((list(&owner), taken.unwrap().hp), (vec![55, 7, 103], 101));
}

#[test]
fn a_field_of_a_failing_list_stays_whole() {
    #[derive(Trace)]
    #[trace(class = Person, rest(friends = InnerArray::new()))]
    struct Plain {
        age: u32,
        others: Vec<Rc<RefCell<Plain>>>,
    }
    let node = |age, others| Rc::new(RefCell::new(Plain { age, others }));
    let (a, b) = (node(1, vec![]), node(2, vec![]));
    let c = node(3, vec![a.clone(), b.clone(), a.clone()]);
    let mut folk = Folk::trace(&c).unwrap();
    let (to, of) = (folk.link_to(&b).unwrap(), folk.link_to(&c).unwrap());
    let new = folk.people.push(Person { age: 0, others: InnerArray::new(), friends: InnerArray::new() }).unwrap();
    folk.people.set_array(person::others, of, &[to, new]).unwrap();
    assert!(matches!(folk.write_back(), Err(TraceError::Object { problem: Problem::NotTraced, .. })));
    let others = || c.borrow().others.iter().map(|other| other.borrow().age).collect::<Vec<_>>();
    assert_eq!(others(), [1, 2, 1]);
    folk.people.set_array(person::others, of, &[to]).unwrap();
    assert_eq!(folk.write_back().unwrap(), 1);
    assert_eq!(others(), [2]);
}

/// Cells in a list are written one by one. After an error the field stays changed.
#[test]
fn a_list_of_cells_of_which_one_is_borrowed() {
    #[derive(Trace)]
    #[trace(class = Person, rest(friends = InnerArray::new()))]
    struct Cells {
        age: u32,
        others: Vec<RefCell<Weak<Cells>>>,
    }
    let one = Rc::new(Cells { age: 1, others: vec![] });
    let cells = || RefCell::new(Rc::downgrade(&one));
    let two = Rc::new(Cells { age: 2, others: vec![cells(), cells()] });
    let ages = || two.others.iter().map(|other| other.borrow().upgrade().unwrap().age).collect::<Vec<_>>();
    let mut folk = Folk::trace(&(&one, &two)).unwrap();
    let [first, second] = [&one, &two].map(|object| folk.link_to(object).unwrap());
    folk.people.set_array(person::others, second, &[second, second]).unwrap();
    let guard = two.others[1].borrow();
    assert!(matches!(folk.write_back(), Err(TraceError::Object { problem: Problem::Borrowed, .. })));
    drop(guard);
    assert_eq!(ages(), [2, 1]);
    folk.people.set_array(person::others, second, &[first, first]).unwrap();
    assert_eq!(folk.write_back().unwrap(), 1);
    assert_eq!(ages(), [1, 1]);
}

#[soa_class]
pub struct Person {
    pub age: u32,
    #[inline_array(2)]
    pub others: InnerArray<Link<Person>>,
    #[inline_array(4)]
    pub friends: InnerArray<HumanLink>,
}
#[soa_class]
pub struct Robot {
    pub version: u32,
}
#[soa_dispatch(Person, Robot)]
pub trait Human {}
#[soa_methods]
impl Human for Person {}
#[soa_methods]
impl Human for Robot {}
#[soa_world]
pub struct Folk {
    pub people: Objects<Person>,
    pub robots: Objects<Robot>,
}

#[derive(Trace)]
#[trace(class = Person, rest(others = InnerArray::new()))]
struct PlainPerson {
    age: Cell<u32>,
    friends: RefCell<Vec<Relation>>,
}
#[derive(Trace)]
#[trace(class = Robot)]
struct PlainRobot {
    version: u32,
}
#[derive(Trace)]
#[trace(link = Human)]
enum Relation {
    Friend(Rc<PlainPerson>),
    Enemy(Rc<PlainPerson>),
    Weakly(Weak<PlainPerson>),
    Tool(Rc<PlainRobot>),
}

/// The variants and the ages of a list.
fn relations(person: &PlainPerson) -> Vec<(&'static str, u32)> {
    let friends = person.friends.borrow();
    let shown = |relation: &Relation| match relation {
        Relation::Friend(person) => ("friend", person.age.get()),
        Relation::Enemy(person) => ("enemy", person.age.get()),
        Relation::Weakly(person) => ("weakly", person.upgrade().unwrap().age.get()),
        Relation::Tool(robot) => ("tool", robot.version),
    };
    friends.iter().map(shown).collect()
}

#[test]
fn variants_of_pointers_stay() {
    let person = |age| Rc::new(PlainPerson { age: Cell::new(age), friends: RefCell::default() });
    let (a, b, c, d) = (person(1), person(2), person(3), person(4));
    let robot = Rc::new(PlainRobot { version: 9 });
    *a.friends.borrow_mut() = vec![
        Relation::Enemy(b.clone()),
        Relation::Weakly(Rc::downgrade(&b)),
        Relation::Friend(c.clone()),
        Relation::Tool(robot.clone()),
    ];
    let mut folk = Folk::trace(&(&a, &d)).unwrap();
    let of = folk.link_to(&a).unwrap();
    let [to_b, to_c, to_d] = [&b, &c, &d].map(|person| HumanLink::from(folk.link_to(person).unwrap()));
    let to_robot = HumanLink::from(folk.link_to(&robot).unwrap());
    let set = |folk: &mut Traced<Folk>, links: &[HumanLink]| {
        folk.people.set_array(person::friends, of, links).unwrap();
        folk.write_back()
    };
    // The last goes.
    set(&mut folk, &[to_b, to_b, to_c]).unwrap();
    assert_eq!(relations(&a), [("enemy", 2), ("weakly", 2), ("friend", 3)]);
    // Elements move along with their links.
    set(&mut folk, &[to_c, to_b]).unwrap();
    assert_eq!(relations(&a), [("friend", 3), ("weakly", 2)]);
    // Another object of the same class: the variant stays. One of another class: the only variant that can hold it.
    set(&mut folk, &[to_d, to_b, to_robot]).unwrap();
    assert_eq!(relations(&a), [("friend", 4), ("weakly", 2), ("tool", 9)]);
    set(&mut folk, &[to_robot, to_b, to_robot]).unwrap();
    assert_eq!(relations(&a), [("tool", 9), ("weakly", 2), ("tool", 9)]);
    // Nobody knows the variant of a new element.
    for links in [&[to_robot, to_b, to_robot, to_c][..], &[to_c, to_b], &[to_c, to_robot, to_b]] {
        let error = set(&mut folk, links).unwrap_err();
        let is_ambiguous =
            matches!(error, TraceError::Object { field: Some("friends"), problem: Problem::Ambiguous, .. });
        assert!(is_ambiguous, "{error}");
        assert_eq!(relations(&a), [("tool", 9), ("weakly", 2), ("tool", 9)]);
    }
    // An object of after the trace is one for every variant.
    let new = folk.robots.push(Robot { version: 0 }).unwrap();
    let error = set(&mut folk, &[new.into()]).unwrap_err();
    assert!(matches!(error, TraceError::Object { problem: Problem::NotTraced, .. }), "{error}");
}

/// A list in which some pointers own their objects.
#[test]
fn boxes_in_enums_of_pointers() {
    #[derive(Trace)]
    #[trace(class = Person, rest(others = InnerArray::new()))]
    struct Host {
        age: u32,
        friends: Vec<Guest>,
    }
    #[derive(Trace)]
    #[trace(link = Human)]
    enum Guest {
        Own(Box<PlainRobot>),
        Shared(Rc<RefCell<PlainRobot>>),
    }
    /// Enums with a `Drop` of their own can be moved as a whole.
    impl Drop for Guest {
        fn drop(&mut self) {}
    }
    let shown = |host: &RefCell<Host>| -> Vec<_> {
        let shown = |guest: &Guest| match guest {
            Guest::Own(robot) => ("own", robot.version),
            Guest::Shared(robot) => ("shared", robot.borrow().version),
        };
        host.borrow().friends.iter().map(shown).collect()
    };
    let shared = Rc::new(RefCell::new(PlainRobot { version: 3 }));
    let own = |version| Guest::Own(Box::new(PlainRobot { version }));
    let host = Host { age: 1, friends: vec![own(1), own(2), Guest::Shared(Rc::clone(&shared))] };
    let host = Rc::new(RefCell::new(host));
    let mut folk = Folk::trace(&host).unwrap();
    let person = folk.link_to(&host).unwrap();
    let robots: Vec<HumanLink> = folk.robots.links().map(HumanLink::from).collect();
    // A link takes the place of a box, which the trace keeps.
    folk.people.set_array(person::friends, person, &[robots[2], robots[1]]).unwrap();
    folk.robots.column_mut(robot::version).iter_mut().for_each(|version| *version += 10);
    assert_eq!(folk.write_back().unwrap(), 4);
    assert_eq!(shown(&host), [("shared", 13), ("own", 12)]);
    folk.people.set_array(person::friends, person, &[robots[2], robots[2]]).unwrap();
    folk.robots.column_mut(robot::version).iter_mut().for_each(|version| *version += 10);
    assert_eq!(folk.write_back().unwrap(), 4);
    assert_eq!(shown(&host), [("shared", 23), ("shared", 23)]);
    assert_eq!(Rc::strong_count(&shared), 4);
    drop(folk);
    assert_eq!((Rc::strong_count(&shared), host.borrow().age), (3, 1));
}

/// After an error some objects have new values. If kernels bring back the old ones, these are written again.
#[test]
fn changes_that_were_written_before_an_error_are_taken_back() -> Result<(), TraceError> {
    let owner = owner();
    let parts: Vec<_> = (1..4).map(|hp| Rc::new(RefCell::new(PlainPart { hp }))).collect();
    let mut shop = Shop::trace(&(&parts, &owner))?;
    for wrong in [100, 7] {
        shop.parts.column_mut(part::hp).iter_mut().for_each(|hp| *hp += wrong);
        let error = {
            let _guard = parts[2].borrow();
            shop.write_back().unwrap_err()
        };
        assert!(matches!(error, TraceError::Object { problem: Problem::Borrowed, .. }), "{error}");
        assert_eq!(parts[0].borrow().hp, 1 + wrong);
        shop.parts.column_mut(part::hp).iter_mut().for_each(|hp| *hp -= wrong);
        shop.write_back()?;
        assert_eq!(parts.iter().map(|part| part.borrow().hp).collect::<Vec<_>>(), [1, 2, 3]);
    }
    Ok(())
}

/// The trace keeps the boxes that it has taken out, whatever a function of `with` does.
#[test]
fn a_panic_loses_no_boxes() -> Result<(), TraceError> {
    #[derive(Trace)]
    #[trace(class = Owner, rest(parts = InnerArray::new()))]
    struct Plain {
        two: [Option<Box<Moody>>; 2],
    }
    #[derive(Trace)]
    #[trace(class = Part)]
    struct Moody {
        #[trace(with = moody)]
        hp: u32,
    }
    mod moody {
        pub(super) fn trace(hp: &u32) -> u32 {
            *hp
        }
        pub(super) fn write_back(hp: &mut u32, value: u32) {
            assert_ne!(value, 13);
            *hp = value;
        }
    }
    let two = [1, 2].map(|hp| Some(Box::new(Moody { hp })));
    let mut shop = Shop::trace(&Rc::new(RefCell::new(Plain { two })))?;
    shop.set(Link::from_id(1).unwrap(), owner::two, [None; 2]);
    assert_eq!(shop.write_back()?, 1);
    for unlucky in [0, 1] {
        shop.parts.column_mut(part::hp).fill(3);
        shop.parts.column_mut(part::hp)[unlucky] = 13;
        assert!(catch_unwind(AssertUnwindSafe(|| shop.write_back())).is_err());
        shop.parts.column_mut(part::hp)[unlucky] = 4;
        assert_eq!(shop.write_back()?, 2);
    }
    Ok(())
}
