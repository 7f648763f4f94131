//! A trait over sixteen classes, and objects that call it through one of two links.

use ikra::prelude::*;

macro_rules! parts {
    ($($part:ident $member:ident $weight:literal),*) => {
        #[soa_dispatch($($part),*)]
        pub trait Part {
            fn weight(&self) -> u32;
        }

        $(
            #[soa_class]
            #[derive(Clone, Debug)]
            pub struct $part {
                pub number: u32,
            }

            #[soa_methods]
            impl Part for $part {
                fn weight(&self) -> u32 {
                    self.number * $weight
                }
            }
        )*

        #[soa_class]
        #[derive(Clone, Debug)]
        pub struct Hook {
            pub part: PartLink,
            pub spare: PartLink,
            pub load: u32,
        }

        #[soa_methods]
        impl Hook {
            #[kernel]
            pub fn lift(&mut self) {
                self.load = self.part.weight();
            }
        }

        #[soa_world]
        pub struct Store {
            $(pub $member: Objects<$part>,)*
            pub hooks: Objects<Hook>,
        }

        impl Store {
            /// One part per class, and one hook per part.
            ///
            /// # Panics
            ///
            /// If memory runs out.
            #[cfg(not(target_arch = "nvptx64"))]
            #[must_use]
            pub fn full() -> Self {
                let mut store = Self::new();
                $(
                    let part = PartLink::from(store.$member.push($part { number: 3 }).unwrap());
                    store.hooks.push(Hook { part, spare: part, load: 0 }).unwrap();
                )*
                store
            }
        }
    };
}
parts!(
    P0 p0 1, P1 p1 2, P2 p2 3, P3 p3 5, P4 p4 7, P5 p5 11, P6 p6 13, P7 p7 17, P8 p8 19, P9 p9 23, P10 p10 29, P11 p11 31,
    P12 p12 37, P13 p13 41, P14 p14 43, P15 p15 47
);
