//! Random scripts for arrays of elements of 1 to 16 bytes in every layout, against `Vec<Vec<T>>`.
#![allow(missing_docs, unreachable_pub, reason = "a test, not a library")]

use std::fmt::Debug;

use ikra::prelude::*;
use ikra_report::ClassLayout;
use proptest::prelude::*;

/// An element computed from a number.
pub trait Element: Value + PartialEq + Debug {
    fn of(n: u32) -> Self;
}

impl Element for u8 {
    fn of(n: u32) -> Self {
        n as u8
    }
}
impl Element for u16 {
    fn of(n: u32) -> Self {
        n as u16
    }
}
impl Element for u32 {
    fn of(n: u32) -> Self {
        n
    }
}
impl Element for f64 {
    fn of(n: u32) -> Self {
        f64::from(n) / 3.0
    }
}
impl Element for u128 {
    fn of(n: u32) -> Self {
        u128::from(n) << 70 | 5
    }
}
impl Element for bool {
    fn of(n: u32) -> Self {
        n.is_multiple_of(2)
    }
}

/// Twelve bytes, aligned to four.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Triple {
    pub a: u32,
    pub b: [u16; 2],
    pub c: f32,
}
impl Element for Triple {
    fn of(n: u32) -> Self {
        Self { a: n, b: [n as u16, 7], c: n as f32 }
    }
}

/// Three bytes.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Colour {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
}
impl Element for Colour {
    fn of(n: u32) -> Self {
        Self { red: n as u8, green: (n >> 8) as u8, blue: 1 }
    }
}

/// One step of a script.
#[derive(Clone, Debug)]
pub enum Step {
    Push(usize),
    /// Replaces the row of an object by one with an array of another length.
    Write(usize, usize),
    /// Replaces only the array.
    Set(usize, usize),
    /// Replaces all arrays.
    SetAll(Vec<usize>),
    /// Replaces element `k` modulo the length, in sequential code.
    Element(usize, usize),
    /// Rotates every array by one, in a kernel.
    Rotate,
    /// Rotates with a snapshot, which needs additional storage.
    RotateSnapshot,
}

/// Lengths near the number of inlined elements, and large ones.
fn len() -> impl Strategy<Value = usize> {
    prop_oneof![Just(0_usize), Just(1), Just(2), Just(3), Just(4), Just(5), 0..12_usize, 100..300_usize]
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => len().prop_map(Step::Push),
        2 => (any::<usize>(), len()).prop_map(|(n, len)| Step::Write(n, len)),
        2 => (any::<usize>(), len()).prop_map(|(n, len)| Step::Set(n, len)),
        1 => prop::collection::vec(len(), 1..40).prop_map(Step::SetAll),
        2 => (any::<usize>(), any::<usize>()).prop_map(|(n, k)| Step::Element(n, k)),
        1 => Just(Step::Rotate),
        1 => Just(Step::RotateSnapshot),
    ];
    prop::collection::vec(step, 1..60)
}

/// Tests of a class with arrays of variable length, in addition to other fields.
macro_rules! varying {
    ($($name:ident: [$($option:tt)*], $slots:literal, $element:ty;)*) => { $(
        mod $name {
            use super::*;

            #[soa_class($($option)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct Thing {
                pub before: u8,
                #[inline_array($slots)]
                pub items: InnerArray<$element>,
                pub after: u64,
                // A second field in the arena, of another alignment.
                #[inline_array(1)]
                pub bytes: InnerArray<u8>,
            }

            #[soa_methods]
            impl Thing {
                #[kernel]
                pub fn rotate(&mut self) {
                    for i in 1..self.items.len() {
                        self.items.swap(i - 1, i);
                    }
                }
                #[kernel(snapshot(items))]
                pub fn rotate_snapshot(&mut self) {
                    for i in 1..self.items.len() {
                        self.items.swap(i - 1, i);
                    }
                }
            }

            #[soa_world]
            pub struct Things {
                pub things: Objects<Thing>,
            }

            fn row(n: u32, items: &[$element]) -> Thing {
                let bytes = (0..(n % 4) as u8).collect();
                Thing { before: n as u8, items: items.into(), after: u64::from(n), bytes }
            }

            proptest! {
                #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]
                #[test]
                fn behaves_like_vectors(steps in steps()) {
                    let mut world = Things::new();
                    let mut model: Vec<Thing> = Vec::new();
                    let mut next = 0;
                    let mut array = |len: usize| {
                        next += 1000;
                        (0..len as u32).map(|k| <$element as Element>::of(next + k)).collect::<Vec<$element>>()
                    };
                    for (n, step) in steps.into_iter().enumerate() {
                        let link = |which: usize| Link::<Thing>::from_index(which).unwrap();
                        let place = |which: usize| which % model.len().max(1);
                        match step {
                            Step::Push(len) => {
                                let row = row(n as u32, &array(len));
                                prop_assert_eq!(world.things.push(row.clone()).unwrap(), link(model.len()));
                                model.push(row);
                            }
                            _ if model.is_empty() => {}
                            Step::Write(which, len) => {
                                let (which, row) = (place(which), row(n as u32, &array(len)));
                                world.things.write(link(which), row.clone()).unwrap();
                                model[which] = row;
                            }
                            Step::Set(which, len) => {
                                let (which, items) = (place(which), array(len));
                                world.things.set_array(thing::items, link(which), &items).unwrap();
                                model[which].items = items.into();
                            }
                            Step::SetAll(lens) => {
                                let mut offsets = vec![0];
                                let mut elements = Vec::new();
                                for n in 0..model.len() {
                                    let items = array(lens[n % lens.len()]);
                                    elements.extend(&items);
                                    offsets.push(elements.len() as u32);
                                    model[n].items = items.into();
                                }
                                world.things.set_arrays(thing::items, &offsets, &elements).unwrap();
                            }
                            Step::Element(which, k) => {
                                let which = place(which);
                                let len = model[which].items.len();
                                if len > 0 {
                                    let value = array(1)[0];
                                    world.get_mut(link(which)).items[k % len] = value;
                                    model[which].items[k % len] = value;
                                }
                            }
                            Step::Rotate | Step::RotateSnapshot => {
                                match step {
                                    Step::Rotate => world.execute(Thing::rotate, ()),
                                    _ => world.execute(Thing::rotate_snapshot, ()),
                                }
                                for row in &mut model {
                                    if !row.items.is_empty() {
                                        row.items.rotate_left(1);
                                    }
                                }
                            }
                        }
                        for (which, row) in model.iter().enumerate() {
                            let thing = world.get(link(which));
                            prop_assert!(thing.items() == row.items[..], "object {}: {:?} {:?}", which, thing.items(), row.items);
                        }
                    }
                    prop_assert_eq!(world.things.iter().collect::<Vec<_>>(), model);
                    let layout = ClassLayout::of(&world.things);
                    prop_assert!(layout.arena_bytes <= layout.arena_capacity);
                }
            }
        }
    )* };
}

varying! {
    soa_3_u8: [], 3, u8;
    soa_4_u16: [], 4, u16;
    soa_0_f64: [], 0, f64;
    soa_4_bool: [], 4, bool;
    soa_capacity_1_u128: [capacity = 100], 1, u128;
    aos_0_u16: [layout = "aos"], 0, u16;
    aos_3_triple: [layout = "aos"], 3, Triple;
    tiles_4_colour: [layout = "tiles"], 4, Colour;
    tiles_4_u128: [layout = "tiles", tile = 64], 4, u128;
}
// Further sizes of elements and numbers of slots.
#[cfg(ikra_long)]
varying! {
    soa_0_u8: [], 0, u8;
    soa_4_u32: [], 4, u32;
    soa_2_u128: [], 2, u128;
    soa_4_triple: [], 4, Triple;
    soa_1_colour: [], 1, Colour;
    soa_capacity_4_triple: [capacity = 100], 4, Triple;
    aos_4_u8: [layout = "aos"], 4, u8;
    aos_4_f64: [layout = "aos"], 4, f64;
    aos_2_u128: [layout = "aos"], 2, u128;
    tiles_0_u32: [layout = "tiles"], 0, u32;
    tiles_1_bool: [layout = "tiles"], 1, bool;
}

/// Tests of a class with arrays of one length.
macro_rules! fixed {
    ($($name:ident: [$($option:tt)*], [$($form:tt)*], $element:ty, $len:literal;)*) => { $(
        mod $name {
            use super::*;

            #[soa_class($($option)*)]
            #[derive(Clone, Debug, PartialEq)]
            pub struct Thing {
                pub before: u8,
                #[inline_array $($form)*]
                pub items: [$element; $len],
                pub after: u64,
            }

            #[soa_methods]
            impl Thing {
                #[kernel]
                pub fn rotate(&mut self) {
                    for i in 1..self.items.len() {
                        self.items.swap(i - 1, i);
                    }
                }
                #[kernel(snapshot(items))]
                pub fn rotate_snapshot(&mut self) {
                    for i in 1..self.items.len() {
                        self.items.swap(i - 1, i);
                    }
                }
            }

            #[soa_world]
            pub struct Things {
                pub things: Objects<Thing>,
            }

            proptest! {
                #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]
                #[test]
                fn behaves_like_arrays(steps in steps()) {
                    let mut world = Things::new();
                    let mut model: Vec<Thing> = Vec::new();
                    let mut next = 0;
                    let mut array = || {
                        next += 1000;
                        std::array::from_fn(|k| <$element as Element>::of(next + k as u32))
                    };
                    for (n, step) in steps.into_iter().enumerate() {
                        let link = |which: usize| Link::<Thing>::from_index(which).unwrap();
                        let place = |which: usize| which % model.len().max(1);
                        match step {
                            Step::Push(_) => {
                                let row = Thing { before: n as u8, items: array(), after: n as u64 };
                                prop_assert_eq!(world.things.push(row.clone()).unwrap(), link(model.len()));
                                model.push(row);
                            }
                            _ if model.is_empty() => {}
                            Step::Write(which, _) | Step::Set(which, _) => {
                                let (which, row) = (place(which), Thing { before: 1, items: array(), after: 2 });
                                world.things.write(link(which), row.clone()).unwrap();
                                model[which] = row;
                            }
                            Step::Element(which, k) => {
                                let which = place(which);
                                let value = array()[0];
                                world.get_mut(link(which)).items[k % $len] = value;
                                model[which].items[k % $len] = value;
                            }
                            Step::Rotate | Step::RotateSnapshot | Step::SetAll(_) => {
                                match step {
                                    Step::Rotate => world.execute(Thing::rotate, ()),
                                    _ => world.execute(Thing::rotate_snapshot, ()),
                                }
                                for row in &mut model {
                                    row.items.rotate_left(1);
                                }
                            }
                        }
                        for (which, row) in model.iter().enumerate() {
                            let thing = world.get(link(which));
                            prop_assert!(thing.items() == row.items, "object {}: {:?}", which, thing.items());
                        }
                    }
                    prop_assert_eq!(world.things.iter().collect::<Vec<_>>(), model);
                }
            }
        }
    )* };
}

fixed! {
    full_soa_u128: [], [], u128, 2;
    full_capacity_triple: [capacity = 100], [], Triple, 5;
    full_aos_u16: [layout = "aos"], [], u16, 3;
    full_tiles_f64: [layout = "tiles"], [], f64, 4;
    object_soa_u32: [], [(object)], u32, 5;
    object_aos_u128: [layout = "aos"], [(object)], u128, 2;
    object_tiles_bool: [layout = "tiles"], [(object)], bool, 9;
}
// Further elements.
#[cfg(ikra_long)]
fixed! {
    full_soa_u8: [], [], u8, 7;
    full_soa_colour: [], [], Colour, 3;
    object_soa_triple: [], [(object)], Triple, 3;
}
