//! Reducers that count their calls, and record the combined results.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, mixed, same_with_any_threads};

#[derive(Clone, Copy)]
pub struct Counting<'a> {
    calls: &'a AtomicU64,
    identities: &'a AtomicU64,
    seen: &'a AtomicU64,
}

/// Neither commutes nor associates.
impl Reducer<u64> for Counting<'_> {
    fn identity(&self) -> u64 {
        self.identities.fetch_add(1, Relaxed);
        7
    }
    fn combine(&self, a: u64, b: u64) -> u64 {
        self.calls.fetch_add(1, Relaxed);
        self.seen.fetch_add(mixed(a as usize, b), Relaxed);
        a.wrapping_mul(3).wrapping_sub(b)
    }
}

macro_rules! layouts {
    ($($test:ident $class:ident $world:ident ($($options:tt)*))*) => { $(
        #[soa_class($($options)*)]
        pub struct $class {
            pub x: u64,
            #[atomic]
            pub hits: u64,
        }
        #[soa_methods]
        impl $class {
            #[kernel(reduce(Counting<'_>))]
            pub fn plain(&mut self) -> u64 {
                self.x += 1;
                self.x
            }
            #[kernel(reduce(Counting<'_>), heavy)]
            pub fn heavy(&self) -> u64 {
                (0..self.x % 3).sum::<u64>() + self.x
            }
            /// Also compiled for a single thread.
            #[kernel(reduce(Counting<'_>))]
            pub fn counted(&self) -> u64 {
                if let Some(other) = self.all::<Self>().get(self.x as usize % 64) {
                    other.hits().add(self.x);
                }
                self.x
            }
        }
        #[soa_world]
        pub struct $world {
            pub all: Objects<$class>,
        }

        #[test]
        fn $test() {
            same_with_any_threads(|| {
                let mut world = $world::new();
                world.all.extend((0..MANY).map(|n| $class { x: mixed(n, 1) >> 8, hits: 0 })).unwrap();
                let (calls, identities, seen) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
                let reducer = Counting { calls: &calls, identities: &identities, seen: &seen };
                let mut found = Vec::new();
                let list: Vec<_> = world.all.links().rev().filter(|link| mixed(link.index(), 5) % 3 > 0).collect();
                found.push(world.execute_and_reduce($class::plain, (), reducer));
                found.push(world.over(77..MANY - 5).execute_and_reduce($class::plain, (), reducer));
                found.push(world.over(&list).execute_and_reduce($class::plain, (), reducer));
                found.push(world.execute_and_reduce($class::heavy, (), reducer));
                found.push(world.over(&list).execute_and_reduce($class::heavy, (), reducer));
                found.push(world.execute_and_reduce($class::counted, (), reducer));
                found.push(world.over(1..9_000).execute_and_reduce($class::counted, (), reducer));
                found.extend([calls, identities, seen].map(AtomicU64::into_inner));
                found.extend(world.all.iter().map(|row| row.x ^ row.hits));
                found
            });
        }
    )* };
}
layouts! {
    soa Soa SoaWorld ()
    aos Aos AosWorld (layout = "aos")
    tiles Tiled TiledWorld (layout = "tiles")
    fixed Fixed FixedWorld (capacity = 20_000)
}
