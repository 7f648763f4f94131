//! One class in every layout, addressing mode and kind of capacity.

use std::ops::Range;

use ikra::prelude::*;
use ikra::{Error, Links, Place};
use ikra_report::WorldLayout;

use crate::subject::Subject;
use crate::values::{Colour, Parts, Plain, Whole, Wide};

/// Sums that wrap around, component by component.
#[derive(Clone, Copy, Debug)]
pub struct Wrapping;

impl Reducer<[u64; 2]> for Wrapping {
    fn identity(&self) -> [u64; 2] {
        [0; 2]
    }
    fn combine(&self, a: [u64; 2], b: [u64; 2]) -> [u64; 2] {
        [a[0].wrapping_add(b[0]), a[1].wrapping_add(b[1])]
    }
}

fn half(real: f32) -> f32 {
    if real.is_finite() { real * 0.5 + 1.0 } else { real }
}

/// Selects code for layouts with slices: `slices! { soa { … } else { … } }`.
macro_rules! slices {
    (soa { $($then:tt)* } else { $($otherwise:tt)* }) => {{ $($then)* }};
    (blocks { $($then:tt)* } else { $($otherwise:tt)* }) => {{ $($otherwise)* }};
}

macro_rules! things {
    ($module:ident, $kind:ident, $tile:expr, $capacity:expr, $($options:tt)*) => {
        pub mod $module {
            use super::*;

            #[soa_class($($options)*)]
            pub struct Thing {
                pub byte: u8,
                pub flag: bool,
                pub short: u16,
                pub real: f32,
                pub double: f64,
                pub vector: [f32; 3],
                pub long: u64,
                pub huge: u128,
                pub next: Option<Link<Thing>>,
                pub whole: Whole,
                #[soa(flatten)]
                pub parts: Parts,
                pub colour: Colour,
                pub wide: Wide,
                #[atomic]
                pub count: u32,
                #[atomic]
                pub holder: Option<Link<Thing>>,
            }

            #[soa_methods]
            impl Thing {
                #[kernel]
                pub fn spawn(id: u32, seed: u64) -> Self {
                    Plain::numbered(id, seed).into()
                }

                #[kernel]
                pub fn step(&mut self, by: u32) {
                    self.count.add(by);
                    if self.byte == 200 {
                        return;
                    }
                    self.byte = self.byte.wrapping_add(by as u8);
                    self.flag ^= self.byte % 2 == 1;
                    self.short = self.short.rotate_left(3) ^ by as u16;
                    self.real = half(self.real);
                    if self.double.is_finite() {
                        self.double = self.double * 0.5 - f64::from(by);
                    }
                    self.vector.rotate_left(1);
                    self.vector[2] = half(self.vector[2]);
                    self.long = self.long.wrapping_mul(5).wrapping_add(self.short.into());
                    self.huge = self.huge.rotate_left(17) ^ u128::from(self.long);
                    self.whole.tag ^= self.byte;
                    self.whole.near[1] = self.short;
                    std::mem::swap(&mut self.parts.x, &mut self.real);
                    self.parts.id = self.parts.id.wrapping_sub(1);
                    self.colour = self.colour.next();
                    self.wide.n = self.wide.n.wrapping_add(by);
                }

                #[kernel]
                pub fn peek(&mut self) {
                    let Some(next) = self.next else { return };
                    let (real, parts) = (next.real().to_bits(), next.parts());
                    let seen = u64::from(real) ^ u64::from(parts.id) ^ (next.huge() >> 64) as u64;
                    let seen = seen ^ next.whole().weight.to_bits() ^ u64::from(next.short());
                    self.long = self.long.rotate_left(9) ^ seen;
                }

                #[kernel(heavy, snapshot(real, parts, colour, wide, next))]
                pub fn jump(&mut self) -> Option<()> {
                    self.short = self.short.wrapping_add(1);
                    let next = self.next?;
                    self.real = next.real();
                    self.parts = next.parts();
                    self.colour = next.colour().next();
                    self.wide = next.wide();
                    self.next = next.next();
                    Some(())
                }

                #[kernel(heavy)]
                pub fn knock(&self) {
                    if let Some(next) = self.next {
                        next.count().add(self.byte.into());
                        next.holder().claim(self.link());
                    }
                }

                #[kernel(pairs)]
                pub fn meet(&mut self, other: Ref<Thing>, key: u64) {
                    let seen = u64::from(other.short()) ^ u64::from(other.real().to_bits());
                    self.long = self.long.rotate_left(5) ^ key ^ seen;
                    if other.flag() {
                        let k = other.byte() as usize % 3;
                        self.vector[k] = f32::from_bits(self.vector[k].to_bits() ^ other.wide().n);
                    }
                }

                #[kernel(reduce(Wrapping))]
                pub fn weigh(&self) -> [u64; 2] {
                    [self.long, (self.huge >> 3) as u64 ^ u64::from(self.byte)]
                }

                #[kernel(reduce(Wrapping))]
                pub fn drain(&mut self) -> [u64; 2] {
                    let long = self.long;
                    self.long = self.wide.n.into();
                    [long, self.flag.into()]
                }

                #[kernel(reduce(Sum))]
                pub fn third(&self) -> f64 {
                    self.long as f64 / 3.0
                }
            }

            impl From<Plain> for Thing {
                fn from(row: Plain) -> Self {
                    let link = |id: Option<u32>| id.and_then(Link::from_id);
                    Self {
                        byte: row.byte,
                        flag: row.flag,
                        short: row.short,
                        real: f32::from_bits(row.real),
                        double: f64::from_bits(row.double),
                        vector: row.vector.map(f32::from_bits),
                        long: row.long,
                        huge: row.huge,
                        next: link(row.next),
                        whole: Whole { tag: row.whole.0, weight: f64::from_bits(row.whole.1), near: row.whole.2 },
                        parts: Parts { x: f32::from_bits(row.parts.0), id: row.parts.1, y: f64::from_bits(row.parts.2) },
                        colour: row.colour,
                        wide: Wide { n: row.wide },
                        count: row.count,
                        holder: link(row.holder),
                    }
                }
            }

            impl From<Thing> for Plain {
                fn from(row: Thing) -> Self {
                    Self {
                        byte: row.byte,
                        flag: row.flag,
                        short: row.short,
                        real: row.real.to_bits(),
                        double: row.double.to_bits(),
                        vector: row.vector.map(f32::to_bits),
                        long: row.long,
                        huge: row.huge,
                        next: row.next.map(Link::id),
                        whole: (row.whole.tag, row.whole.weight.to_bits(), row.whole.near),
                        parts: (row.parts.x.to_bits(), row.parts.id, row.parts.y.to_bits()),
                        colour: row.colour,
                        wide: row.wide.n,
                        count: row.count,
                        holder: row.holder.map(Link::id),
                    }
                }
            }

            #[soa_world]
            pub struct Space {
                pub things: Objects<Thing>,
            }

            fn link(id: u32) -> Link<Thing> {
                Link::from_id(id).expect("ids start at 1")
            }
            fn links(ids: &[u32]) -> Vec<Link<Thing>> {
                ids.iter().copied().map(link).collect()
            }
            fn ids(links: Links<Thing>) -> Vec<u32> {
                links.map(Link::id).collect()
            }

            impl Subject for Space {
                const CAPACITY: Option<usize> = $capacity;
                const TILE: Option<usize> = $tile;

                fn len(&self) -> usize {
                    self.things.len()
                }
                fn capacity(&self) -> usize {
                    self.things.capacity()
                }
                fn push(&mut self, row: Plain) -> Result<u32, Error> {
                    self.things.push(row.into()).map(Link::id)
                }
                fn extend(&mut self, rows: &[Plain]) -> Result<Vec<u32>, Error> {
                    self.things.extend(rows.iter().copied().map(Thing::from)).map(ids)
                }
                fn reserve(&mut self, n: usize) -> Result<Vec<u32>, Error> {
                    self.things.reserve(n).map(ids)
                }
                fn init(&mut self, id: u32, row: Plain) -> Result<(), Error> {
                    self.things.init(link(id), row.into())
                }
                fn construct(&mut self, n: usize, seed: u64) -> Result<Vec<u32>, Error> {
                    World::construct(self, n, Thing::spawn, seed).map(ids)
                }
                fn write(&mut self, id: u32, row: Plain) -> Result<(), Error> {
                    self.things.write(link(id), row.into())
                }

                fn read(&self, id: u32) -> Result<Plain, Error> {
                    self.things.read(link(id)).map(Plain::from)
                }
                fn rows(&self) -> Vec<Plain> {
                    self.things.iter().map(Plain::from).collect()
                }
                fn get(&self, id: u32) -> Plain {
                    let thing = World::get(self, link(id));
                    Plain {
                        byte: thing.byte(),
                        flag: thing.flag(),
                        short: thing.short(),
                        real: thing.real().to_bits(),
                        double: thing.double().to_bits(),
                        vector: thing.vector().map(f32::to_bits),
                        long: thing.long(),
                        huge: thing.huge(),
                        next: thing.next().map(|next| next.link().id()),
                        whole: (thing.whole().tag, thing.whole().weight.to_bits(), thing.whole().near),
                        parts: (thing.parts().x.to_bits(), thing.parts().id, thing.parts().y.to_bits()),
                        colour: thing.colour(),
                        wide: thing.wide().n,
                        count: thing.count().load(),
                        holder: thing.holder().load().map(Link::id),
                    }
                }
                fn columns(&self) -> Vec<Plain> {
                    let things = &self.things;
                    let byte = things.copy_column(thing::byte);
                    let flag = things.copy_column(thing::flag);
                    let short = things.copy_column(thing::short);
                    let real = things.copy_column(thing::real);
                    let double = things.copy_column(thing::double);
                    let vector = things.copy_column(thing::vector);
                    let long = things.copy_column(thing::long);
                    let huge = things.copy_column(thing::huge);
                    let next = things.copy_column(thing::next);
                    let whole = things.copy_column(thing::whole);
                    let parts = things.copy_column(thing::parts);
                    let colour = things.copy_column(thing::colour);
                    let wide = things.copy_column(thing::wide);
                    let count = things.copy_column(thing::count);
                    let holder = things.copy_column(thing::holder);
                    (0..things.len())
                        .map(|n| {
                            Plain::from(Thing {
                                byte: byte[n],
                                flag: flag[n],
                                short: short[n],
                                real: real[n],
                                double: double[n],
                                vector: vector[n],
                                long: long[n],
                                huge: huge[n],
                                next: next[n],
                                whole: whole[n],
                                parts: parts[n],
                                colour: colour[n],
                                wide: wide[n],
                                count: count[n],
                                holder: holder[n],
                            })
                        })
                        .collect()
                }
                fn slices_are(&self, rows: &[Plain]) -> bool {
                    slices!($kind {
                        let things = &self.things;
                        assert!(things.column(thing::byte).iter().copied().eq(rows.iter().map(|row| row.byte)));
                        assert!(things.column(thing::flag).iter().copied().eq(rows.iter().map(|row| row.flag)));
                        assert!(things.column(thing::huge).iter().copied().eq(rows.iter().map(|row| row.huge)));
                        let doubles = things.column(thing::double).iter().map(|double| double.to_bits());
                        assert!(doubles.eq(rows.iter().map(|row| row.double)));
                        let next = things.column(thing::next).iter().map(|next| next.map(Link::id));
                        assert!(next.eq(rows.iter().map(|row| row.next)));
                        assert!(things.column(thing::wide).iter().map(|wide| wide.n).eq(rows.iter().map(|row| row.wide)));
                        assert!(things.column(thing::wide).as_ptr().addr() % 256 == 0);
                        assert!(things.column(thing::huge).as_ptr().addr() % 16 == 0);
                        true
                    } else {
                        let _ = rows;
                        false
                    })
                }

                fn set(&mut self, id: u32, row: Plain) {
                    let row = Thing::from(row);
                    let next = row.next;
                    let mut thing = self.get_mut(link(id));
                    thing.byte = row.byte;
                    thing.flag = row.flag;
                    thing.short = row.short;
                    thing.real = row.real;
                    thing.double = row.double;
                    thing.vector = row.vector;
                    thing.long = row.long;
                    thing.huge = row.huge;
                    thing.next = next.map(|next| thing.resolve(next));
                    thing.whole = row.whole;
                    thing.parts = row.parts;
                    thing.colour = row.colour;
                    thing.wide = row.wide;
                    thing.count.store(row.count);
                    thing.holder.store(row.holder);
                }
                fn bump_column(&mut self, by: u16) -> bool {
                    slices!($kind {
                        for short in self.things.column_mut(thing::short) {
                            *short = short.wrapping_add(by);
                        }
                        for count in self.things.column_mut(thing::count) {
                            *count = by.into();
                        }
                        true
                    } else {
                        let _ = by;
                        false
                    })
                }

                fn step(&mut self, by: u32) {
                    self.execute(Thing::step, by);
                }
                fn step_one(&mut self, id: u32, by: u32) {
                    self.get_mut(link(id)).step(by);
                }
                fn step_range(&mut self, range: Range<usize>, by: u32) {
                    self.over(range).execute(Thing::step, by);
                }
                fn step_each(&mut self, ids: &[u32], by: u32) -> Result<(), Error> {
                    self.on(Place::Host).over(&links(ids)).execute(Thing::step, by)
                }
                fn peek(&mut self) {
                    self.execute(Thing::peek, ());
                }
                fn jump(&mut self) {
                    self.execute(Thing::jump, ());
                }
                fn jump_range(&mut self, range: Range<usize>) {
                    self.over(range).execute(Thing::jump, ());
                }
                fn jump_each(&mut self, ids: &[u32]) -> Result<(), Error> {
                    self.on(Place::Host).over(&links(ids)).execute(Thing::jump, ())
                }
                fn knock(&mut self) {
                    self.execute(Thing::knock, ());
                }
                fn meet(&mut self, key: u64) {
                    self.execute_pairs(Thing::meet, key);
                }
                fn weigh(&mut self) -> [u64; 2] {
                    self.execute_and_reduce(Thing::weigh, (), Wrapping)
                }
                fn drain(&mut self) -> [u64; 2] {
                    self.execute_and_reduce(Thing::drain, (), Wrapping)
                }
                fn double_sum(&mut self) -> f64 {
                    self.execute_and_reduce(Thing::third, (), Sum)
                }

                fn to_bits(&self, id: u32) -> Result<u64, Error> {
                    link(id).to_bits(&self.things)
                }
                fn decode(&self, bits: u64) -> Result<u32, Error> {
                    Link::from_bits(bits, &self.things).map(Link::id)
                }
                fn first_address(&self) -> Option<u64> {
                    slices!($kind {
                        Some(self.things.column(thing::byte).as_ptr().addr() as u64)
                    } else {
                        None
                    })
                }
                fn layout(&self) -> WorldLayout {
                    WorldLayout::of(self)
                }
            }
        }
    };
}

/// Combinations of the options: all with `IKRA_LONG`; otherwise each layout with and without a capacity, and each
/// addressing with both.
macro_rules! all_things {
    ($($name:ident $kind:ident $tile:expr, [$($layout:tt)*], [$($short:ident)*];)*) => { $(
        all_things!(@addressing $name $kind $tile, [$($layout)*], [$($short)*]);
    )* };
    (@addressing $name:ident $kind:ident $tile:expr, [$($layout:tt)*], [$($short:ident)*]) => {
        pub mod $name {
            use super::*;
            #[cfg(ikra_long)]
            all_things!(
                @each $kind $tile, [$($layout)*],
                zero storage first_field zero_fixed storage_fixed first_field_fixed
            );
            #[cfg(not(ikra_long))]
            all_things!(@each $kind $tile, [$($layout)*], $($short)*);
        }
    };
    (@each $kind:ident $tile:expr, $layout:tt, $($module:ident)*) => {
        $(all_things!(@one $module $kind $tile, $layout);)*
    };
    (@one zero $kind:ident $tile:expr, [$($layout:tt)*]) => {
        things!(zero, $kind, $tile, None, $($layout)*, addressing = "zero");
    };
    (@one storage $kind:ident $tile:expr, [$($layout:tt)*]) => {
        things!(storage, $kind, $tile, None, $($layout)*, addressing = "storage");
    };
    (@one first_field $kind:ident $tile:expr, [$($layout:tt)*]) => {
        things!(first_field, $kind, $tile, None, $($layout)*, addressing = "first_field");
    };
    (@one zero_fixed $kind:ident $tile:expr, [$($layout:tt)*]) => {
        things!(zero_fixed, $kind, $tile, Some(500), $($layout)*, addressing = "zero", capacity = 500);
    };
    (@one storage_fixed $kind:ident $tile:expr, [$($layout:tt)*]) => {
        things!(storage_fixed, $kind, $tile, Some(500), $($layout)*, addressing = "storage", capacity = 500);
    };
    (@one first_field_fixed $kind:ident $tile:expr, [$($layout:tt)*]) => {
        things!(first_field_fixed, $kind, $tile, Some(500), $($layout)*, addressing = "first_field", capacity = 500);
    };
}
all_things! {
    soa soa None, [layout = "soa"], [zero storage_fixed];
    aos blocks None, [layout = "aos"], [storage first_field_fixed];
    tiles64 blocks Some(64), [layout = "tiles", tile = 64], [first_field zero_fixed];
    tiles128 blocks Some(128), [layout = "tiles", tile = 128], [zero storage_fixed];
}

/// Calls a macro with the names of all modules.
#[cfg(ikra_long)]
macro_rules! for_all_things {
    ($macro:ident) => {
        for_all_things!(@each $macro [soa aos tiles64 tiles128]);
    };
    (@each $macro:ident [$($layout:ident)*]) => {
        $macro! { $($layout { zero storage first_field zero_fixed storage_fixed first_field_fixed })* }
    };
}
#[cfg(not(ikra_long))]
macro_rules! for_all_things {
    ($macro:ident) => {
        $macro! {
            soa { zero storage_fixed }
            aos { storage first_field_fixed }
            tiles64 { first_field zero_fixed }
            tiles128 { zero storage_fixed }
        }
    };
}
pub(crate) use for_all_things;
