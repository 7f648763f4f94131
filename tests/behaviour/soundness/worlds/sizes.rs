//! Sizes that are too large, and object counts at the limits.

use ikra::Error;
use ikra::prelude::*;
use ikra_report::WorldLayout;

/// 128 MiB.
#[derive(Clone, Copy, Value)]
#[repr(C)]
pub struct Vast {
    pub bytes: [[u64; 4096]; 4096],
}

/// `$name` has 8 such fields: 2^31 objects take 2^61 bytes per column, and 2^64 in all.
macro_rules! vast {
    ($($name:ident ($($options:tt)*);)*) => { $(
        #[soa_class($($options)*)]
        pub struct $name {
            pub a: Vast, pub b: Vast, pub c: Vast, pub d: Vast, pub e: Vast, pub f: Vast, pub g: Vast, pub h: Vast,
            #[inline_array]
            pub slots: [Vast; 16],
        }
    )* };
}
vast! {
    Soa ();
    Aos (layout = "aos");
    Tiled (layout = "tiles", tile = 128);
    AosFixed (layout = "aos", capacity = 4000000000);
}

#[soa_class(layout = "tiles", tile = 128)]
pub struct Nothing {
    pub nothing: [u8; 0],
}

#[soa_class(layout = "aos")]
pub struct NothingAos {
    pub nothing: [u8; 0],
}

#[soa_class]
pub struct NothingSoa {
    pub nothing: [u8; 0],
}

#[soa_class(capacity = 1)]
pub struct One {
    pub n: u8,
}

#[soa_world]
pub struct Sizes {
    pub soa: Objects<Soa>,
    pub aos: Objects<Aos>,
    pub tiled: Objects<Tiled>,
    pub fixed: Objects<AosFixed>,
    pub nothing: Objects<Nothing>,
    pub nothing_aos: Objects<NothingAos>,
    pub nothing_soa: Objects<NothingSoa>,
    pub one: Objects<One>,
}

#[test]
fn storage_that_has_more_bytes_than_there_are_addresses() {
    let mut sizes = Sizes::new();
    macro_rules! check {
        ($($member:ident)*) => { $(
            for objects in [1 << 28, 1 << 31, (1 << 32) - 2] {
                match sizes.$member.grow_by(objects) {
                    Err(Error::OutOfMemory { .. }) => {}
                    other => panic!("{other:?}"),
                }
                assert!(matches!(sizes.$member.reserve(objects), Err(Error::OutOfMemory { .. })));
                assert_eq!((sizes.$member.len(), sizes.$member.capacity()), (0, 0));
            }
        )* };
    }
    check! { soa aos tiled }
    assert!(matches!(sizes.fixed.grow_by(1), Err(Error::OutOfMemory { .. })));
    assert!(matches!(sizes.fixed.grow_by(4_000_000_001), Err(Error::CapacityExceeded { .. })));
    for objects in [1 << 32, usize::MAX] {
        assert!(matches!(sizes.soa.grow_by(objects), Err(Error::TooManyObjects { .. })));
        assert!(matches!(sizes.tiled.reserve(objects), Err(Error::TooManyObjects { .. })));
        assert!(sizes.nothing.construct_none(objects));
    }
    // Layouts of impossible sizes can also be shown.
    let layout = WorldLayout::of(&sizes).for_objects(usize::MAX);
    assert!(layout.bytes() > 0);
}

trait ConstructNone {
    fn construct_none(&mut self, objects: usize) -> bool;
}
impl ConstructNone for Objects<Nothing> {
    fn construct_none(&mut self, objects: usize) -> bool {
        matches!(self.reserve(objects), Err(Error::TooManyObjects { .. })) && self.is_empty()
    }
}

/// Storage in tiles has room for 2^32 objects, but there are only 2^32 - 2 ids.
#[test]
fn the_last_id_is_the_last() {
    let mut sizes = Sizes::new();
    macro_rules! check {
        ($($member:ident)*) => { $(
            // Reserve all ids without writing as many placeholders.
            sizes.$member.grow_by((1 << 32) - 2).unwrap();
            assert_eq!(sizes.$member.capacity(), (1 << 32) - 2);
            assert!(matches!(sizes.$member.grow_by((1 << 32) - 1), Err(Error::TooManyObjects { .. })));
            assert!(matches!(sizes.$member.reserve((1 << 32) - 1), Err(Error::TooManyObjects { .. })));
        )* };
    }
    check! { nothing nothing_aos nothing_soa }
    let link = sizes.nothing.push(Nothing { nothing: [] }).unwrap();
    assert_eq!((link.index(), sizes.nothing.len()), (0, 1));
}

#[test]
fn limits_and_ranges() {
    let mut sizes = Sizes::new();
    let only = sizes.one.push(One { n: 3 }).unwrap();
    assert!(matches!(sizes.one.push(One { n: 4 }), Err(Error::CapacityExceeded { capacity: 1, requested: 2, .. })));
    assert!(matches!(sizes.one.reserve(usize::MAX), Err(Error::CapacityExceeded { .. })));
    assert_eq!(sizes.one.reserve(0).unwrap().count(), 0);
    for link in [Link::from_id(2), Link::from_id(u32::MAX)].into_iter().flatten() {
        assert!(matches!(sizes.one.read(link), Err(Error::NotInWorld { len: 1, .. })));
        assert!(matches!(sizes.try_get(link), Err(Error::NotInWorld { .. })));
    }
    assert_eq!(sizes.clone().get(only).n(), 3);
}

/// Classes of 17 fields, whose tuples are padded to 20, with zero-sized fields.
macro_rules! padded {
    ($($name:ident $world:ident ($($options:tt)*);)*) => { $(
        #[soa_class($($options)*)]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $name {
            pub f0: [u64; 0], pub f1: u8, pub f2: u16, pub f3: u32, pub f4: [u16; 0], pub f5: u8, pub f6: u8, pub f7: u8,
            pub f8: u8, pub f9: u8, pub f10: u8, pub f11: u8, pub f12: u8, pub f13: u8, pub f14: u64, pub f15: bool,
            pub f16: [u32; 0],
        }
        #[soa_methods]
        impl $name {
            #[kernel(snapshot(f3))]
            pub fn change(&mut self, how: impl Fn(u32) -> u32 + Copy + Send + Sync) {
                self.f0 = [];
                self.f3 = how(self.f3);
                self.f14 += u64::from(self.f3);
                self.f16 = [];
            }
            #[kernel(pairs)]
            pub fn look(&mut self, other: Ref<$name>) {
                self.f15 ^= other.f3() > self.f3 && other.f16().is_empty();
            }
            #[kernel(reduce(Sum))]
            pub fn sum(&self) -> u64 { self.f14 + self.f0.len() as u64 }
        }
        #[soa_world]
        pub struct $world { pub all: Objects<$name> }
    )* };
}
padded! {
    Padded PaddedWorld ();
    PaddedRows PaddedRowsWorld (layout = "aos");
    PaddedTiles PaddedTilesWorld (layout = "tiles", tile = 64);
    PaddedFixed PaddedFixedWorld (capacity = 1000);
}

#[test]
fn fields_of_no_bytes_and_kernels_that_panic_half_way() {
    macro_rules! check {
        ($($name:ident $world:ident)*) => { $({
            let mut world = $world::new();
            world.execute($name::change, |_| unreachable!("there are no objects"));
            world.execute_pairs($name::look, ());
            assert_eq!(world.execute_and_reduce($name::sum, (), Sum), 0);
            let row = |f3| $name {
                f0: [], f1: 1, f2: 2, f3, f4: [], f5: 5, f6: 6, f7: 7, f8: 8, f9: 9, f10: 10, f11: 11, f12: 12, f13: 13,
                f14: 0, f15: false, f16: [],
            };
            world.all.extend((0..700).map(row)).unwrap();
            let broken = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                world.execute($name::change, |f3| if f3 == 400 { panic!("on the way") } else { f3 + 1 });
            }));
            assert!(broken.is_err());
            // Other objects keep their old values, since the snapshot was never shown.
            for (n, link) in world.all.links().collect::<Vec<_>>().into_iter().enumerate() {
                let found = world.all.read(link).unwrap();
                assert_eq!((found.f3, found.f1, found.f13, found.f15), (n as u32, 1, 13, false));
            }
            world.execute($name::change, |f3| f3 + 1);
            world.execute_pairs($name::look, ());
            assert_eq!(world.all.copy_column(<$name>::F3), (1..=700).collect::<Vec<_>>());
            let smaller = |n: usize| (699 - n) % 2 == 1;
            assert!(world.all.links().enumerate().all(|(n, link)| world.get(link).f15() == smaller(n)));
        })* };
    }
    check!(Padded PaddedWorld PaddedRows PaddedRowsWorld PaddedTiles PaddedTilesWorld PaddedFixed PaddedFixedWorld);
}
macro_rules! columns {
    ($($name:ident $columns:ident)*) => { $(
        impl $name {
            const F3: ikra::Column<Self, 3> = $columns::f3;
        }
    )* };
}
columns! { Padded padded PaddedRows padded_rows PaddedTiles padded_tiles PaddedFixed padded_fixed }
