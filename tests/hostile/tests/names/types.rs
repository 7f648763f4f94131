//! User types named like types of the prelude, of the standard library and of Ikra.

/// All names that generated code could pick up by accident.
mod hostile {
    use ikra::{Link, Objects, soa_class, soa_methods, soa_world};

    pub struct Option;
    pub struct Some;
    pub struct None;
    pub struct Result;
    pub struct Ok;
    pub struct Err;
    pub struct Vec;
    pub struct String;
    pub struct Box;
    pub struct Phase;
    pub struct Effects;
    pub struct Handle;
    pub struct Own;
    pub struct Send;
    pub struct Sync;
    pub struct Copy;
    pub struct Clone;
    pub struct Default;
    pub struct PhantomData;
    pub struct Sequential;
    pub mod core {}
    pub mod std {}
    pub mod alloc {}
    pub mod rt {}

    #[soa_class]
    pub struct Item {
        pub x: u32,
        pub next: Link<Item>,
        #[atomic]
        pub hits: u32,
        #[inline_array]
        pub a: [u32; 2],
        pub b: u32,
    }

    #[soa_methods]
    impl Item {
        #[kernel]
        pub fn step(&mut self, by: u32) {
            self.x += by + self.next.b();
            self.hits.store(self.x);
            self.a[0] += 1;
        }
    }

    #[soa_world]
    pub struct World1 {
        pub items: Objects<Item>,
    }
}

use ikra::prelude::*;

#[test]
fn of_everything_that_is_named_by_accident() {
    let mut world = hostile::World1::new();
    let link = Link::from_id(1).unwrap();
    world.items.push(hostile::Item { x: 1, next: link, hits: 0, a: [1, 2], b: 2 }).unwrap();
    world.execute(hostile::Item::step, 3);
    let row = world.items.iter().next().unwrap();
    assert_eq!((row.x, row.hits, row.a), (6, 6, [2, 2]));
}
