//! Breadth-first search (INNER §5.2) in every layout: one launch per level, in which each vertex of the frontier
//! lowers the distance of its neighbours. One text for the class and its kernel; only attributes and the
//! array's type differ.

use ikra::prelude::*;

/// The distance of a vertex that was not reached.
pub const UNREACHED: u32 = u32::MAX;
/// Neighbours that a vertex has at most, where all are inlined.
pub const MOST: usize = 8;

/// What is known of a search.
#[soa_class(capacity = 1)]
#[derive(Clone, Debug)]
pub struct Search {
    /// The last level that reached a vertex.
    #[atomic]
    pub last: u32,
}

macro_rules! layout {
    ($class:ident, $world:ident, [$($option:tt)*], [$($attribute:tt)*], $array:ty, { $($len:tt)* }, |$row:ident| $count:expr) => {
        /// A vertex.
        #[soa_class($($option)*)]
        #[derive(Clone, Debug)]
        pub struct $class {
            /// Edges from the source.
            #[atomic]
            pub distance: u32,
            $($len)*
            /// Where edges lead.
            $($attribute)*
            pub neighbours: $array,
        }

        #[soa_methods]
        impl $class {
            /// Starts anew.
            #[kernel]
            pub fn reset(&mut self, source: Link<$class>) {
                self.distance.store(if self.link() == source { 0 } else { UNREACHED });
            }
            /// Lowers the distance of neighbours, if this is one of the frontier's. Says whether it reached any.
            #[inline(always)]
            fn reach(&self, level: u32) -> bool {
                if self.distance.load() != level {
                    return false;
                }
                let mut found = false;
                let $row = self;
                let count = $count;
                for other in self.neighbours.range(..count as usize) {
                    let distance = other.distance();
                    if distance.load() > level + 1 {
                        distance.store(level + 1);
                        found = true;
                    }
                }
                found
            }
            /// One level, which says whether it reached a vertex.
            // Whoever reaches a vertex stores the same distance, and none that is stored here is `level`.
            #[kernel(heavy, reduce(Any), unordered(distance))]
            pub fn push(&self, level: u32) -> bool {
                self.reach(level)
            }
            /// One level, noted with the search.
            // As above; and all store the same level.
            #[kernel(heavy, unordered(distance, last))]
            pub fn visit(&self, level: u32, search: Ref<Search>) {
                if self.reach(level) {
                    search.last().store(level + 1);
                }
            }
        }

        /// The world.
        #[soa_world]
        pub struct $world {
            /// All vertices.
            pub vertices: Objects<$class>,
            /// One search.
            pub searches: Objects<Search>,
        }
    };
}

/// Arrays of one length, of which a field says how many elements count.
macro_rules! fixed {
    ($class:ident, $world:ident, [$($option:tt)*], [$($attribute:tt)*]) => {
        layout! {
            $class, $world, [$($option)*], [$($attribute)*], [Link<$class>; MOST],
            { #[doc = "How many neighbours there are."] pub degree: u32, }, |row| row.degree.min(MOST as u32)
        }
    };
}

/// Arrays of varying length.
macro_rules! varying {
    ($class:ident, $world:ident, [$($option:tt)*], $slots:literal) => {
        layout! {
            $class, $world, [$($option)*], [#[inline_array($slots)]], InnerArray<Link<$class>>,
            {}, |row| row.neighbours.len() as u32
        }
    };
}

fixed!(BfsSoaFull, BfsSoaFullWorld, [], [#[inline_array]]);
fixed!(BfsSoaObject, BfsSoaObjectWorld, [], [#[inline_array(object)]]);
fixed!(BfsAosFull, BfsAosFullWorld, [layout = "aos"], [#[inline_array]]);
varying!(BfsSoa0, BfsSoa0World, [], 0);
varying!(BfsSoa1, BfsSoa1World, [], 1);
varying!(BfsSoa2, BfsSoa2World, [], 2);
varying!(BfsSoa3, BfsSoa3World, [], 3);
varying!(BfsSoa4, BfsSoa4World, [], 4);
varying!(BfsAos0, BfsAos0World, [layout = "aos"], 0);
varying!(BfsAos1, BfsAos1World, [layout = "aos"], 1);
varying!(BfsAos2, BfsAos2World, [layout = "aos"], 2);
varying!(BfsAos3, BfsAos3World, [layout = "aos"], 3);
varying!(BfsAos4, BfsAos4World, [layout = "aos"], 4);

/// Makes the row of a vertex with arrays of one length.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! fixed_vertex {
    ($class:ident) => {
        |neighbours: &[u32]| {
            let first = Link::from_index(0).expect("an index");
            $class {
                distance: bfs::UNREACHED,
                degree: neighbours.len() as u32,
                neighbours: std::array::from_fn(|j| {
                    neighbours.get(j).and_then(|&target| Link::from_index(target as usize)).unwrap_or(first)
                }),
            }
        }
    };
}

/// Makes the row of a vertex with arrays of varying length.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! varying_vertex {
    ($class:ident) => {
        |neighbours: &[u32]| $class {
            distance: bfs::UNREACHED,
            neighbours: neighbours.iter().filter_map(|&target| Link::from_index(target as usize)).collect(),
        }
    };
}

/// Calls a macro for every layout, with its class, its world, how its rows are made, its name as in INNER
/// Fig. 10, and its number of slots.
#[cfg(not(target_arch = "nvptx64"))]
macro_rules! for_each_bfs {
    ($one:ident) => {
        $one!(BfsSoaFull, BfsSoaFullWorld, fixed_vertex, "SoA (full)", "");
        $one!(BfsSoaObject, BfsSoaObjectWorld, fixed_vertex, "SoA (object)", "");
        $one!(BfsAosFull, BfsAosFullWorld, fixed_vertex, "AoS (full)", "");
        $one!(BfsSoa0, BfsSoa0World, varying_vertex, "SoA (partial)", "0");
        $one!(BfsSoa1, BfsSoa1World, varying_vertex, "SoA (partial)", "1");
        $one!(BfsSoa2, BfsSoa2World, varying_vertex, "SoA (partial)", "2");
        $one!(BfsSoa3, BfsSoa3World, varying_vertex, "SoA (partial)", "3");
        $one!(BfsSoa4, BfsSoa4World, varying_vertex, "SoA (partial)", "4");
        $one!(BfsAos0, BfsAos0World, varying_vertex, "AoS (partial)", "0");
        $one!(BfsAos1, BfsAos1World, varying_vertex, "AoS (partial)", "1");
        $one!(BfsAos2, BfsAos2World, varying_vertex, "AoS (partial)", "2");
        $one!(BfsAos3, BfsAos3World, varying_vertex, "AoS (partial)", "3");
        $one!(BfsAos4, BfsAos4World, varying_vertex, "AoS (partial)", "4");
    };
}

#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use {fixed_vertex, for_each_bfs, varying_vertex};
