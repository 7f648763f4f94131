//! Elements of inner arrays that are atomic, shared by several threads.

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
