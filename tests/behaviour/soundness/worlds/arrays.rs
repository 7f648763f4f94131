//! Elements of inner arrays: over-aligned ones, and those without bytes.

use ikra::prelude::*;

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
