//! Ranks whose programs differ: types and kernels that have the same names.
#![allow(missing_docs, reason = "a test, not a library")]
#![forbid(unsafe_code)]

use ikra::{Error, Place, prelude::*};
use ikra_cluster::Cluster;

mod one {
    use ikra::prelude::*;

    #[soa_class]
    pub struct Item {
        pub v: u32,
    }

    #[soa_methods]
    impl Item {
        #[kernel]
        pub fn look(&self) -> bool {
            self.v > 3
        }
    }
}

mod other {
    use ikra::prelude::*;

    #[soa_class]
    pub struct Item {
        pub v: u32,
    }

    #[soa_methods]
    impl Item {
        #[kernel]
        pub fn look(&self) -> u8 {
            77
        }
    }
}

#[soa_world]
pub struct Shop {
    pub ones: Objects<one::Item>,
    pub others: Objects<other::Item>,
}

/// A `bool` would have the byte 77.
#[test]
fn kernels_of_other_classes_with_the_same_name() {
    let errors = Cluster::threads(2, |cluster| {
        let mut shop = Shop::new();
        shop.ones.extend((0..1000).map(|v| one::Item { v })).unwrap();
        shop.others.extend((0..1000).map(|v| other::Item { v })).unwrap();
        cluster.share(&mut shop).unwrap();
        let mut on = shop.on(Place::Cluster);
        match cluster.is_first() {
            true => on.execute_and_collect(one::Item::look, ()).map(drop),
            false => on.execute_and_collect(other::Item::look, ()).map(drop),
        }
    });
    for error in errors {
        assert!(matches!(error, Err(Error::Cluster { .. })), "{error:?}");
    }
}

/// A world that outlives its rank must not keep the others waiting.
#[test]
fn a_panic_beside_a_world_that_lives_on() {
    let worlds = [const { std::sync::Mutex::new(None) }; 2];
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        Cluster::threads(2, |cluster| {
            let mut world = worlds[cluster.rank()].lock().unwrap();
            let shop = world.insert(Shop::new());
            shop.ones.extend((0..100).map(|v| one::Item { v })).unwrap();
            cluster.share(shop).unwrap();
            assert!(cluster.is_first(), "on purpose");
            cluster.gather(shop)
        })
    }));
    let text = *ended.unwrap_err().downcast::<&str>().unwrap();
    assert_eq!(text, "on purpose");
}

/// Two models with the same text, in which `Target` is not the same class.
macro_rules! model {
    ($name:ident, $target:ident) => {
        mod $name {
            use ikra::prelude::*;

            #[soa_class]
            pub struct Few {
                pub n: u32,
            }

            #[soa_class]
            pub struct Many {
                pub n: u32,
            }

            use $target as Target;

            #[soa_class]
            pub struct Pointer {
                pub to: Link<Target>,
            }

            #[soa_world]
            pub struct World {
                pub few: Objects<Few>,
                pub many: Objects<Many>,
                pub pointers: Objects<Pointer>,
            }
        }
    };
}

model!(to_few, Few);
model!(to_many, Many);

#[test]
fn worlds_of_other_types_with_the_same_text() {
    let errors = Cluster::threads(2, |cluster| match cluster.is_first() {
        true => cluster.share(&mut to_few::World::new()),
        false => cluster.share(&mut to_many::World::new()),
    });
    for error in errors {
        assert!(matches!(error, Err(Error::Cluster { .. })), "{error:?}");
    }
}
