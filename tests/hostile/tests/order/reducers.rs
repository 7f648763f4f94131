//! Reducers that neither commute nor associate, for all objects, ranges and lists, alone and within arrays.

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, mixed, same_with_any_threads};

#[derive(Clone, Copy)]
pub struct Odd;

impl Reducer<u64> for Odd {
    fn identity(&self) -> u64 {
        3
    }
    fn combine(&self, a: u64, b: u64) -> u64 {
        mixed(a as usize, b)
    }
}
/// A result of more than 64 bytes.
impl Reducer<[u64; 10]> for Odd {
    fn identity(&self) -> [u64; 10] {
        [5; 10]
    }
    fn combine(&self, a: [u64; 10], b: [u64; 10]) -> [u64; 10] {
        std::array::from_fn(|n| mixed(a[n] as usize, b[9 - n]))
    }
}
/// A zero-sized result.
#[derive(Clone, Copy)]
pub struct Nothing;
impl Reducer<Nothing> for Odd {
    fn identity(&self) -> Nothing {
        Nothing
    }
    fn combine(&self, _: Nothing, _: Nothing) -> Nothing {
        Nothing
    }
}
/// A result that is rounded.
impl Reducer<f32> for Odd {
    fn identity(&self) -> f32 {
        0.0
    }
    fn combine(&self, a: f32, b: f32) -> f32 {
        a * 1.000_1 + b
    }
}

#[soa_class]
pub struct Item {
    pub x: u64,
    pub f: f32,
}

#[soa_methods]
impl Item {
    #[kernel(reduce(Odd))]
    pub fn x_now(&mut self) -> u64 {
        self.x += 1;
        self.x
    }
    #[kernel(reduce(Odd), heavy)]
    pub fn many(&self) -> [u64; 10] {
        std::array::from_fn(|n| self.x + n as u64)
    }
    #[kernel(reduce(Odd))]
    pub fn nothing(&mut self) -> Nothing {
        self.x += 1;
        Nothing
    }
    #[kernel(reduce(Odd))]
    pub fn rounded(&self) -> f32 {
        self.f
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

#[test]
fn of_every_size() {
    for count in [0, 1, 31, 33, 255, 256, 257, 4_095, 4_097, 8_193, MANY] {
        same_with_any_threads(|| {
            let mut store = Store::new();
            store.items.extend((0..count).map(|n| Item { x: mixed(n, 1), f: n as f32 * 0.37 })).unwrap();
            let list: Vec<_> = store.items.links().filter(|link| mixed(link.index(), 2) % 5 > 0).collect();
            let xs = [
                store.execute_and_reduce(Item::x_now, (), Odd),
                store.over(count / 3..).execute_and_reduce(Item::x_now, (), Odd),
                store.over(&list).execute_and_reduce(Item::x_now, (), Odd),
            ];
            let many = [
                store.execute_and_reduce(Item::many, (), Odd),
                store.over(..count / 2).execute_and_reduce(Item::many, (), Odd),
                store.over(&list).execute_and_reduce(Item::many, (), Odd),
            ];
            let Nothing = store.execute_and_reduce(Item::nothing, (), Odd);
            let rounded = store.over(&list).execute_and_reduce(Item::rounded, (), Odd).to_bits();
            (xs, many, rounded, store.items.column(item::x).to_vec())
        });
    }
}
