//! Hidden macros, called by hand.

use ikra::prelude::*;
use ikra::rt::{Handle, Own};

#[derive(Clone, Debug, PartialEq)]
pub struct Small {
    pub a: u32,
}
pub struct SmallMut<'w, P: ikra::Phase> {
    pub a: u32,
    pub __object: Own<'w, Small, P>,
}
pub struct SmallRef<'w, P: ikra::Phase>(Handle<'w, Small, P>);

/// A type, and what a row has for it.
#[allow(dead_code, reason = "the macro does not take it for anything")]
type Large = ikra::rt::Plain<[u8; 4096]>;
#[allow(non_upper_case_globals, dead_code, reason = "a value of the type's name")]
const Large: [u8; 4096] = [7; 4096];

ikra::rt::class! {
    complete Small = "Small" at ":1:0" as "ikra_class_Small_", seen as SmallMut and SmallRef,
    stored as ikra::rt::Aos, Zero, ::core::option::Option::None, ::core::option::Option::None, and [Large];
    0 a = "a": "u32" in ikra::rt::Plain<u32>;
}

/// What fills up the list of a class's fields is nothing: a storage among them would write where no column of the class is.
#[test]
fn a_storage_that_the_class_does_not_know_of_is_none() {
    let mut all = Objects::<Small>::new();
    let links: Vec<_> = all.extend((0..10_000).map(|a| Small { a })).unwrap().collect();
    assert!(links.iter().all(|&link| all.read(link).unwrap() == Small { a: link.index() as u32 }));
    assert_eq!(size_of::<<Small as ikra::Class>::Fields>(), size_of::<(ikra::rt::Plain<u32>, ())>());
    assert_eq!(all.layout().block, 4);
}
