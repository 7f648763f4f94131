//! Classes with inner arrays, in every layout, with elements of 1 to 16 bytes.

use ikra::prelude::*;

/// Twelve bytes, aligned to four.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Triple {
    pub a: u32,
    pub b: [u16; 2],
    pub c: u32,
}

/// An element that can be mixed with another.
pub trait Mixed: Copy {
    fn mixed(self, other: Self, by: u32) -> Self;
    fn number(self) -> u32;
}
macro_rules! mixed_integers {
    ($($ty:ty)*) => { $(
        impl Mixed for $ty {
            fn mixed(self, other: Self, by: u32) -> Self {
                self.wrapping_mul(3).wrapping_add(other ^ by as $ty)
            }
            fn number(self) -> u32 {
                self as u32
            }
        }
    )* };
}
mixed_integers!(u8 u16 i32 u64 u128);
impl Mixed for f64 {
    fn mixed(self, other: Self, by: u32) -> Self {
        (self * 0.5 + other / 3.0) + by as f64
    }
    fn number(self) -> u32 {
        self.to_bits() as u32
    }
}
impl Mixed for bool {
    fn mixed(self, other: Self, by: u32) -> Self {
        self ^ other ^ by.is_multiple_of(2)
    }
    fn number(self) -> u32 {
        self as u32
    }
}
impl Mixed for Triple {
    fn mixed(self, other: Self, by: u32) -> Self {
        Self { a: self.a.mixed_with(other.c, by), b: [other.b[1], self.b[0].wrapping_add(by as u16)], c: other.a }
    }
    fn number(self) -> u32 {
        self.a ^ self.c ^ self.b[0] as u32
    }
}
impl Triple {
    pub fn of(n: u32) -> Self {
        Self { a: n, b: [n as u16, 7], c: !n }
    }
}
trait MixedWith {
    fn mixed_with(self, other: u32, by: u32) -> u32;
}
impl MixedWith for u32 {
    fn mixed_with(self, other: u32, by: u32) -> u32 {
        self.wrapping_mul(5).wrapping_add(other ^ by)
    }
}

/// A class whose array is stored as the attributes specify.
macro_rules! arrays {
    ($class:ident, $world:ident, [$($option:tt)*], [$($form:tt)*], $array:ty, $links:ty, [$($links_form:tt)*]) => {
        #[soa_class($($option)*)]
        #[derive(Clone, Debug, PartialEq)]
        pub struct $class {
            pub weight: u32,
            #[inline_array $($form)*]
            pub items: $array,
            pub sum: u32,
            #[inline_array $($links_form)*]
            pub near: $links,
            #[atomic]
            #[inline_array]
            pub hits: [u32; 3],
        }

        #[soa_methods]
        impl $class {
            /// Changes every element, in order, by index.
            #[kernel]
            pub fn mix(&mut self, by: u32) {
                for i in 1..self.items.len() {
                    self.items[i] = self.items[i].mixed(self.items[i - 1], by);
                }
            }
            /// Changes every element, by iteration.
            #[kernel]
            pub fn mix_all(&mut self, by: u32) {
                for item in &mut self.items {
                    *item = item.mixed(*item, by);
                }
                if self.items.len() > 2 {
                    self.items.swap(0, 2);
                }
            }
            /// Changes all elements except the first.
            #[kernel]
            pub fn mix_rest(&mut self, by: u32) {
                let first = self.items.len().min(1);
                self.items.range_mut(first..).for_each(|item| *item = item.mixed(*item, by));
                let sum = self.items.range(..first).chain(self.items.range(first..).rev());
                self.sum = sum.fold(self.sum, |sum, item| sum.wrapping_mul(31).wrapping_add(item.number()));
            }
            /// Takes the neighbours' previous elements.
            #[kernel(snapshot(items))]
            pub fn take(&mut self, by: u32) {
                for other in self.near.iter() {
                    let theirs = other.items();
                    for i in 0..theirs.len().min(self.items.len()) {
                        self.items[i] = self.items[i].mixed(theirs[i], by);
                    }
                }
            }
            /// Rewrites some elements, in every possible form, and reads both its own new elements and others' old
            /// ones.
            #[kernel(snapshot(items))]
            pub fn renew(&mut self, way: u32) {
                let len = self.items.len();
                if len == 0 {
                    return;
                }
                let at = (self.weight as usize + way as usize) % len;
                match (self.weight + way) % 13 {
                    0 => return,
                    1 => self.items[at] = self.items[0].mixed(self.items[at], way),
                    2 => self.items.set(at, self.items[len - 1]),
                    3 => self.items.swap(0, at),
                    4 => self.items.range_mut(at..).for_each(|item| *item = item.mixed(*item, way)),
                    5 => {
                        for item in self.items.iter_mut().take(at) {
                            *item = item.mixed(*item, way);
                        }
                    }
                    6 => {
                        if let Some(item) = self.items.iter_mut().next_back() {
                            *item = item.mixed(*item, way);
                        }
                        if let Some(items) = self.items.as_slice() {
                            self.sum = items.iter().fold(self.sum, |sum, item| sum.wrapping_mul(31).wrapping_add(item.number()));
                        }
                    }
                    7 => {
                        if let Some(items) = self.items.as_mut_slice() {
                            items.reverse();
                        }
                    }
                    8 => self.items.fill(self.items[at]),
                    9 => {
                        for other in self.near.iter() {
                            if other.items().len() > at {
                                self.items[at] = other.items()[at];
                            }
                        }
                    }
                    10 => {
                        let _ = self.items.iter_mut();
                        self.items.set(0, self.items[at]);
                    }
                    11 => {
                        for i in 0..len {
                            self.items[i] = self.items[len - 1 - i];
                        }
                    }
                    _ => {}
                }
                self.sum = self.items.iter().fold(self.sum, |sum, item| sum.wrapping_mul(31).wrapping_add(item.number()));
            }
            /// Adds up the neighbours' elements, and counts in the neighbours.
            // By different elements of `hits`.
            #[kernel(unordered(hits))]
            pub fn survey(&mut self) {
                let mut sum = 0_u32;
                for other in self.near.iter() {
                    sum = other.items().iter().rev().fold(sum, |sum, item| sum.wrapping_mul(31).wrapping_add(item.number()));
                    for hit in other.hits().iter().take(2) {
                        hit.add(1);
                    }
                }
                self.hits.get(2).max(self.weight);
                self.sum = self.near.iter().fold(sum, |sum, other| sum.wrapping_mul(31).wrapping_add(other.weight()));
            }
            /// Reverses links.
            #[kernel]
            pub fn turn(&mut self) {
                let count = self.near.len();
                for i in 0..count / 2 {
                    let (a, b) = (self.near.get(i), self.near.get(count - 1 - i));
                    self.near.set(i, b);
                    self.near.set(count - 1 - i, a);
                }
            }
            #[kernel(reduce(Max, Sum))]
            pub fn first(&self) -> u32 {
                self.items.try_get(0).map_or(5, |item| item.number() >> 8)
            }
        }

        #[soa_world]
        pub struct $world {
            pub things: Objects<$class>,
        }
    };
}

arrays!(SoaFull, SoaFullWorld, [], [], [i32; 5], [Link<SoaFull>; 2], [(object)]);
arrays!(SoaObject, SoaObjectWorld, [], [(object)], [u16; 5], InnerArray<Link<SoaObject>>, [(0)]);
arrays!(SoaPartial, SoaPartialWorld, [], [(4)], InnerArray<i32>, InnerArray<Link<SoaPartial>>, [(2)]);
arrays!(SoaNone, SoaNoneWorld, [], [(0)], InnerArray<f64>, InnerArray<Link<SoaNone>>, [(2)]);
arrays!(
    SoaCapacityPartial,
    SoaCapacityPartialWorld,
    [capacity = 12_000],
    [(4)],
    InnerArray<u8>,
    InnerArray<Link<SoaCapacityPartial>>,
    [(3)]
);
arrays!(AosFull, AosFullWorld, [layout = "aos"], [], [f64; 3], [Link<AosFull>; 2], []);
arrays!(AosPartial, AosPartialWorld, [layout = "aos"], [(4)], InnerArray<bool>, InnerArray<Link<AosPartial>>, [(2)]);
arrays!(TilesFull, TilesFullWorld, [layout = "tiles"], [], [u16; 6], [Link<TilesFull>; 2], []);
arrays!(
    TilesPartial,
    TilesPartialWorld,
    [layout = "tiles", tile = 64],
    [(2)],
    InnerArray<Triple>,
    InnerArray<Link<TilesPartial>>,
    [(1)]
);

/// A lattice whose cells receive flow from their neighbours; walls reflect it.
#[soa_class]
pub struct Lattice {
    pub wall: bool,
    #[inline_array]
    pub from: [Link<Lattice>; 4],
    #[inline_array]
    pub flow: [f32; 4],
}

#[soa_methods]
impl Lattice {
    /// Writes all elements, for every kind of cell.
    #[kernel(snapshot(flow))]
    pub fn stream(&mut self, share: f32) {
        let mut flow = [0.0; 4];
        for (n, from) in self.from.iter().enumerate() {
            flow[n] = from.flow().get(n);
        }
        if self.wall {
            for n in 0..4 {
                self.flow[n] = flow[3 - n];
            }
            return;
        }
        let sum = flow[0] + flow[1] + flow[2] + flow[3];
        for n in 0..4 {
            self.flow[n] = flow[n] + share * (0.25 * sum - flow[n]);
        }
    }
}

#[soa_world]
pub struct LatticeWorld {
    pub cells: Objects<Lattice>,
}
