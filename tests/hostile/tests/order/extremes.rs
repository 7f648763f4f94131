//! The minimum and maximum of floating-point numbers, by atomics and by reductions, compared by their bits. The inputs
//! include many kinds of NaN, both zeros and infinities.

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, mixed, same_with_any_threads};

/// Numbers that compare equal but have different bits, and numbers that do not compare.
const ODD: [u32; 16] = [
    0x0000_0000, // 0
    0x8000_0000, // −0
    0x7f80_0000, // ∞
    0xff80_0000, // −∞
    0x7fc0_0000, // quiet NaNs
    0xffc0_0000,
    0x7fc0_0001,
    0x7fff_ffff,
    0xffff_ffff,
    0x7f80_0001, // signalling NaNs
    0xff80_0001,
    0x7fa0_0000,
    0x0000_0001, // the smallest above 0
    0x8000_0001,
    0x7f7f_ffff, // the largest
    0xff7f_ffff,
];

fn single(n: usize, few: usize) -> f32 {
    f32::from_bits(ODD[mixed(n, 3) as usize % few])
}
fn double(n: usize, few: usize) -> f64 {
    let bits = ODD[mixed(n, 4) as usize % few];
    f64::from_bits(u64::from(bits) << 32 | u64::from(bits & 1))
}

#[soa_class]
pub struct Value {
    pub single: f32,
    pub double: f64,
    pub at: Link<Place>,
}
#[soa_class]
pub struct Place {
    #[atomic]
    pub least: f32,
    #[atomic]
    pub most: f32,
    #[atomic]
    pub least_double: f64,
    #[atomic]
    pub most_double: f64,
}

#[soa_methods]
impl Value {
    #[kernel]
    pub fn update(&mut self) {
        self.at.least().min(self.single);
        self.at.most().max(self.single);
        self.at.least_double().min(self.double);
        self.at.most_double().max(self.double);
    }
    #[kernel(reduce(Min, Max))]
    pub fn one(&self) -> f32 {
        self.single
    }
    #[kernel(reduce(Min, Max))]
    pub fn both(&self) -> (f64, [f32; 2]) {
        (self.double, [self.single, -self.single])
    }
}

#[soa_world]
pub struct Store {
    pub values: Objects<Value>,
    pub places: Objects<Place>,
}

fn store(few: usize) -> Store {
    let mut store = Store::new();
    let place = |n: usize| Place {
        least: single(n, 16),
        most: single(n + 1, 16),
        least_double: double(n, 16),
        most_double: double(n + 1, 16),
    };
    let places: Vec<_> = store.places.extend((0..37).map(place)).unwrap().collect();
    store
        .values
        .extend((0..MANY).map(|n| Value { single: single(n, few), double: double(n, few), at: places[n * 7 % 37] }))
        .unwrap();
    store
}

#[test]
fn by_atomics() {
    for few in [2, 5, 9, 12, 16] {
        same_with_any_threads(|| {
            let mut store = store(few);
            store.execute(Value::update, ());
            let bits = |row: Place| {
                let doubles = [row.least_double, row.most_double].map(f64::to_bits);
                ([row.least, row.most].map(f32::to_bits), doubles)
            };
            store.places.iter().map(bits).collect::<Vec<_>>()
        });
    }
}

#[test]
fn by_reductions() {
    for few in [2, 5, 9, 12, 16] {
        same_with_any_threads(|| {
            let mut store = store(few);
            let list: Vec<_> = store.values.links().rev().step_by(3).collect();
            let one = [
                store.execute_and_reduce(Value::one, (), Min),
                store.execute_and_reduce(Value::one, (), Max),
                store.over(3..17_000).execute_and_reduce(Value::one, (), Min),
                store.over(&list).execute_and_reduce(Value::one, (), Max),
            ];
            let (double, singles) = store.execute_and_reduce(Value::both, (), Max);
            (one.map(f32::to_bits), double.to_bits(), singles.map(f32::to_bits))
        });
    }
}
