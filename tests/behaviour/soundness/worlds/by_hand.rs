//! Hidden macros, called directly.

use std::panic::catch_unwind;

use ikra::dispatch::AnyLink;
use ikra::prelude::*;
use ikra::rt::{Handle, Own};
use ikra_report::ClassLayout;

#[derive(Clone, Debug, PartialEq)]
pub struct Small {
    pub a: u32,
}
pub struct SmallMut<'w, P: ikra::Phase> {
    pub a: u32,
    pub __object: Own<'w, Small, P>,
}
pub struct SmallRef<'w, P: ikra::Phase>(Handle<'w, Small, P>);

/// A type, and its representation in a row.
#[allow(dead_code, reason = "the macro does not take it for anything")]
type Large = ikra::rt::Plain<[u8; 4096]>;
#[allow(non_upper_case_globals, dead_code, reason = "a value of the type's name")]
const Large: [u8; 4096] = [7; 4096];

ikra::rt::class! {
    complete Small = "Small" at ":1:0" as "ikra_class_Small_", seen as SmallMut and SmallRef,
    stored as ikra::rt::Aos, Zero, ::core::option::Option::None, ::core::option::Option::None,
    ::core::option::Option::None, and [Large];
    0 a = "a": "u32" in ikra::rt::Plain<u32>;
}

/// The padding of a class's field list must be empty: a storage there would write outside of the class's columns.
#[test]
fn a_storage_that_the_class_does_not_know_of_is_none() {
    let mut all = Objects::<Small>::new();
    let links: Vec<_> = all.extend((0..10_000).map(|a| Small { a })).unwrap().collect();
    assert!(links.iter().all(|&link| all.read(link).unwrap() == Small { a: link.index() as u32 }));
    assert_eq!(size_of::<<Small as ikra::Class>::Fields>(), size_of::<(ikra::rt::Plain<u32>, ())>());
    assert_eq!(ClassLayout::of(&all).block, 4);
}

#[soa_class]
pub struct Car {
    pub km: u32,
}
#[soa_class]
pub struct Bus {
    pub seats: u32,
}

#[soa_dispatch(Car, Bus, strategy = "class_tag")]
pub trait Actor {}
#[soa_methods]
impl Actor for Car {}
#[soa_methods]
impl Actor for Bus {}

/// Three classes; their links are looked up in the memory of a trait with two classes.
#[derive(Clone, Copy, Debug)]
pub enum Sharing {}
pub struct SharingRef<'w, P: ikra::Phase>(ikra::rt::AnyHandle<'w, Sharing, P>);
#[derive(Clone, Copy, Debug)]
#[allow(dead_code, reason = "what a link is, for the macro")]
pub enum SharingIs<A, B, C> {
    Small(A),
    Car(B),
    Bus(C),
}

ikra::rt::dispatch! {
    Sharing = "Sharing" as ikra_strategies::Remembered<Actor>, SharingRef, SharingIs: Small = Small; Car = Car; Bus = Bus;
}

/// The lookup returned the class stored there first; if two threads stored at once, it varied.
#[test]
fn what_is_said_of_a_link_does_not_depend_on_who_asked_first() {
    for index in 0..1000 {
        // The number of this link is that of a bus or of a car.
        let shared = || AnyLink::<Sharing>::from(Link::<Small>::from_index(index).unwrap()).parts();
        assert!(catch_unwind(shared).is_err());
        let car: ActorLink = Link::<Car>::from_index(index).unwrap().into();
        let bus: ActorLink = Link::<Bus>::from_index(index).unwrap().into();
        assert_eq!(Link::<Car>::try_from(car).map(Link::index), Ok(index));
        assert_eq!(Link::<Bus>::try_from(bus).map(Link::index), Ok(index));
    }
}
