//! Elements of inner arrays: atomic elements shared by several threads, and over-aligned elements.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use ikra::prelude::*;

/// Classes with every kind of atomic array, in every layout, with and without a fixed capacity.
macro_rules! counters {
    ($($name:ident $column:ident $member:ident ($($options:tt)*);)*) => {
        $(
            #[soa_class($($options)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                pub plain: u32,
                #[atomic]
                #[inline_array]
                pub slots: [u32; 4],
                #[atomic]
                #[inline_array(object)]
                pub whole: [u64; 3],
                #[atomic]
                #[inline_array(1)]
                pub more: InnerArray<u64>,
                #[atomic]
                #[inline_array(0)]
                pub flags: InnerArray<bool>,
                #[atomic]
                pub one: f64,
            }
        )*
        #[soa_world]
        pub struct Counters { $(pub $member: Objects<$name>),* }

        /// One thread stores while another reads whole rows and columns, in each layout.
        #[test]
        fn whole_rows_are_read_while_others_store() {
            let mut world = Counters::new();
            $(
                world.$member.extend((0..100).map(|n| $name {
                    plain: n,
                    slots: [0; 4],
                    whole: [0; 3],
                    more: [0; 3].into(),
                    flags: [false; 5].into(),
                    one: 0.0,
                })).unwrap();
            )*
            $({
                let done = AtomicBool::new(false);
                let world = &world;
                std::thread::scope(|scope| {
                    scope.spawn(|| {
                        for n in 1..=200_u32 {
                            for object in world.all::<$name>() {
                                object.slots().get(n as usize % 4).store(n);
                                // Both halves of a value change, so that a torn read is visible.
                                object.whole().get(n as usize % 3).store(u64::from(n) << 32 | u64::from(n));
                                object.more().get(n as usize % 3).store(u64::from(n) << 32 | u64::from(n));
                                object.flags().get(n as usize % 5).store(n % 2 == 1);
                                object.one().store(f64::from(n));
                            }
                        }
                        done.store(true, Relaxed);
                    });
                    while !done.load(Relaxed) {
                        let even = |value: &u64| assert_eq!(value >> 32, value & 0xffff_ffff);
                        for (n, row) in world.$member.iter().enumerate() {
                            assert_eq!(row.plain, n as u32);
                            row.whole.iter().chain(row.more.iter()).for_each(even);
                        }
                        world.$member.copy_column($column::whole).iter().flatten().for_each(even);
                        world.$member.copy_column($column::more).iter().for_each(|row| row.iter().for_each(even));
                        assert!(world.$member.copy_column($column::slots).iter().flatten().all(|count| *count <= 200));
                        assert!(world.$member.copy_column($column::flags).iter().all(|flags| flags.len() == 5));
                        let clone = world.$member.clone();
                        clone.iter().for_each(|row| row.more.iter().for_each(even));
                        assert_eq!(clone.len(), 100);
                    }
                });
                let row = world.$member.read(Link::from_index(99).unwrap()).unwrap();
                assert_eq!((row.slots, row.one), ([200, 197, 198, 199], 200.0));
                assert_eq!(world.clone().$member.iter().last().unwrap(), row);
            })*
        }
    };
}

counters! {
    Soa soa soa ();
    Fixed fixed fixed (capacity = 128, arena = 65536);
    Aos aos aos (layout = "aos");
    AosFixed aos_fixed aos_fixed (layout = "aos", capacity = 128);
    Tiled tiled tiled (layout = "tiles", tile = 128);
}

#[test]
fn slots_of_atomics_are_borrowed_exclusively() {
    let mut world = Counters::new();
    let row = Soa { plain: 1, slots: [2; 4], whole: [3; 3], more: [4].into(), flags: InnerArray::new(), one: 5.0 };
    let link = world.soa.push(row).unwrap();
    world.soa.slot_mut(soa::slots, 2)[0] = 7;
    assert_eq!(world.get(link).slots().get(2).load(), 7);
    assert_eq!(world.soa.copy_column(soa::slots), [[2, 2, 7, 2]]);
}

/// Values with a larger alignment than allocators give by default.
macro_rules! aligned {
    ($($value:ident $align:literal;)*) => { $(
        #[derive(Clone, Copy, Debug, PartialEq, Value)]
        #[repr(C, align($align))]
        pub struct $value {
            pub n: u64,
            pub rest: [u64; $align / 8 - 1],
        }
        impl $value {
            fn new(n: u64) -> Self {
                Self { n, rest: [n; $align / 8 - 1] }
            }
            fn check(&self, n: u64) {
                assert_eq!(std::ptr::from_ref(self).addr() % $align, 0, "{} bytes", $align);
                assert!(*self == Self::new(n));
            }
        }
    )* };
}
aligned! { A256 256; A4096 4096; }

macro_rules! aligned_classes {
    ($($name:ident $column:ident $value:ident $objects:literal ($($options:tt)*);)*) => { $(
        mod $column {
            use super::*;

            #[soa_class($($options)*)]
            pub struct $name {
                pub byte: u8,
                pub plain: $value,
                #[inline_array]
                pub slots: [$value; 3],
                #[inline_array(object)]
                pub whole: [$value; 2],
                #[inline_array(1)]
                pub some: InnerArray<$value>,
                #[inline_array(0)]
                pub none: InnerArray<$value>,
                #[inline_array(0)]
                pub bytes: InnerArray<u8>,
            }

            #[soa_methods]
            impl $name {
                #[kernel]
                pub fn check(&self) {
                    let n = u64::from(self.byte);
                    self.plain.check(n);
                    for k in 0..3 {
                        self.slots[k].check(n + k as u64);
                    }
                    self.whole[1].check(n + 9);
                    for k in 0..2 {
                        self.some[k].check(n + k as u64);
                        self.none[k].check(n + 7 + k as u64);
                    }
                }
            }

            #[soa_world]
            pub struct Aligned { pub objects: Objects<$name> }

            #[test]
            fn values_lie_where_their_alignment_wants() {
                let mut world = Aligned::new();
                for n in 0..$objects {
                    let new = $value::new;
                    world.objects.push($name {
                        byte: n as u8,
                        plain: new(n),
                        slots: [new(n), new(n + 1), new(n + 2)],
                        whole: [new(n + 8), new(n + 9)],
                        some: [new(n), new(n + 1)].into(),
                        none: [new(n + 7), new(n + 8)].into(),
                        bytes: vec![1; n as usize % 5].into(),
                    }).unwrap();
                }
                world.execute($name::check, ());
                world.clone().execute($name::check, ());
                // Also after arrays have moved.
                let first = Link::from_index(0).unwrap();
                for k in 0..40 {
                    world.objects.set_array($column::bytes, first, &vec![2; k % 20 * 100]).unwrap();
                }
                world.execute($name::check, ());
            }
        }
    )* };
}

aligned_classes! {
    Soa256 soa256 A256 70 ();
    Soa4096 soa4096 A4096 70 ();
    Fixed256 fixed256 A256 70 (capacity = 70, arena = 150000);
    Fixed4096 fixed4096 A4096 65 (capacity = 65, arena = 2000000);
    Aos256 aos256 A256 20 (layout = "aos");
    Aos4096 aos4096 A4096 20 (layout = "aos", capacity = 20);
    Tiled256 tiled256 A256 20 (layout = "tiles", tile = 64);
    Tiled4096 tiled4096 A4096 20 (layout = "tiles", tile = 64);
}

/// Zero-sized fields that are not arrays, in every layout.
macro_rules! empty {
    ($($name:ident $column:ident ($($options:tt)*);)*) => { $(
        mod $column {
            use super::*;

            #[soa_class($($options)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct $name {
                pub n: u16,
                pub nothing: [u64; 0],
                pub more: [[u8; 0]; 3],
                #[inline_array(0)]
                pub items: InnerArray<u16>,
            }
            #[soa_methods]
            impl $name {
                #[kernel]
                pub fn go(&mut self) {
                    let nothing: [u64; 0] = self.nothing;
                    self.n += 1 + nothing.len() as u16;
                    self.items[0] = self.n;
                }
            }
            #[soa_world]
            pub struct Empty { pub objects: Objects<$name> }

            #[test]
            fn fields_without_bytes() {
                let mut world = Empty::new();
                let row = |n: u16| $name { n, nothing: [], more: [[]; 3], items: [n].into() };
                world.objects.extend((0..90).map(row)).unwrap();
                world.execute($name::go, ());
                assert!(world.objects.iter().eq((1..91).map(row)));
                assert_eq!(world.objects.copy_column($column::nothing).len(), 90);
                assert_eq!(world.clone().objects.iter().last(), Some(row(90)));
            }
        }
    )* };
}
empty! {
    EmptySoa empty_soa ();
    EmptyFixed empty_fixed (capacity = 100);
    EmptyAos empty_aos (layout = "aos");
    EmptyTiled empty_tiled (layout = "tiles", tile = 64);
}
