//! A class of counters, and the test of a kernel that increments one of them.

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, Outcome, on_threads, outcome};

/// The outcome of a kernel that hides a write.
#[derive(Debug, PartialEq, Eq)]
pub enum Came {
    /// The write was stored.
    Stored,
    /// The write was rejected by a panic that explains how to declare it, and nothing changed.
    Refused,
}

/// The class, its counters, and their totals.
macro_rules! class {
    () => {
        #[derive(Clone, Copy, Debug, PartialEq, Value)]
        #[repr(C)]
        pub struct Vel {
            pub x: u32,
            pub y: u32,
        }
        impl Vel {
            pub fn bump(&mut self) {
                self.x += 1;
            }
        }
        impl core::ops::AddAssign<u32> for Vel {
            fn add_assign(&mut self, by: u32) {
                self.y += by;
            }
        }
        impl core::ops::Index<u32> for Vel {
            type Output = u32;
            fn index(&self, _: u32) -> &u32 {
                &self.x
            }
        }
        impl core::ops::IndexMut<u32> for Vel {
            fn index_mut(&mut self, _: u32) -> &mut u32 {
                &mut self.x
            }
        }
        impl AsMut<u32> for Vel {
            fn as_mut(&mut self) -> &mut u32 {
                &mut self.y
            }
        }

        #[soa_class]
        #[derive(Clone, Debug)]
        pub struct Node {
            pub x: u32,
            pub y: u32,
            pub v: Vel,
            pub pair: [u32; 3],
            #[soa(flatten)]
            pub flat: Vel,
            #[inline_array]
            pub a: [u32; 4],
            #[inline_array(1)]
            pub more: InnerArray<u32>,
            #[inline_array(object)]
            pub whole: [u32; 3],
            pub next: Link<Node>,
            #[atomic]
            pub hits: u32,
        }

        #[soa_world]
        pub struct Graph {
            pub nodes: Objects<Node>,
        }

        impl $crate::node::Counted for Graph {
            fn of(count: usize) -> Self {
                let mut graph = Self::new();
                let v = Vel { x: 3, y: 4 };
                let node = |n: usize| Node {
                    x: 5,
                    y: 6,
                    v,
                    pair: [1, 2, 3],
                    flat: v,
                    a: [1; 4],
                    more: [1; 3].into(),
                    whole: [1; 3],
                    next: Link::from_index((n + 1) % count).unwrap(),
                    hits: 0,
                };
                graph.nodes.extend((0..count).map(node)).unwrap();
                graph
            }
            fn totals(&self) -> Vec<u32> {
                let total = |row: Node| {
                    let arrays = row.pair.iter().chain(&row.a).chain(row.more.iter()).chain(&row.whole).sum::<u32>();
                    row.x + row.y + row.v.x + row.v.y + row.flat.x + row.flat.y + arrays + row.hits
                };
                self.nodes.iter().map(total).collect()
            }
        }
    };
}

/// A world that can be totalled.
pub trait Counted: Sized + Send {
    fn of(count: usize) -> Self;
    /// The total of each object.
    fn totals(&self) -> Vec<u32>;
}

/// Runs a kernel that adds one to a counter of each object, for a few objects, and for many on two threads.
pub fn assert_one_more<W: Counted>(name: &str, came: Came, run: impl Fn(&mut W) + Sync) {
    for (count, threads) in [(3, 1), (MANY / 4, 2)] {
        let mut world = W::of(count);
        let before = world.totals();
        let ended = on_threads(threads, || outcome(|| run(&mut world)));
        let after = world.totals();
        match (&ended, &came) {
            (Outcome::Returned(()), Came::Stored) => {
                assert!(
                    before.iter().zip(&after).all(|(before, after)| *after == before + 1),
                    "`{name}`: the write is lost: {} before, {} after",
                    before[0],
                    after[0]
                );
            }
            (Outcome::Panicked(message), Came::Refused) => {
                assert!(message.contains("in a way that its text does not show"), "`{name}`: {message}");
                assert_eq!(before, after, "`{name}`: nothing has changed");
            }
            _ => panic!("`{name}`: {came:?} was expected, and it came to {ended:?}"),
        }
    }
}

/// One test per kernel.
macro_rules! programs {
    ($($came:ident: $($name:ident)*;)*) => { $($(
        #[test]
        fn $name() {
            $crate::node::assert_one_more::<Graph>(stringify!($name), $crate::node::Came::$came, |world| {
                world.execute(Node::$name, ())
            });
        }
    )*)* };
}
