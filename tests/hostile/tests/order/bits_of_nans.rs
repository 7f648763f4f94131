//! The NaN that an operation returns, in kernels compiled for several instruction sets and in several versions. It is
//! the same with any number of threads and any instruction set.

use std::process::Command;

use ikra::prelude::*;
use ikra_hostile_tests::{MANY, hash, mixed, same_with_any_threads};

#[soa_class]
pub struct Item {
    pub a: f32,
    pub b: f32,
    pub d: f64,
    pub c: f32,
    #[atomic]
    pub sum: u32,
}

#[soa_methods]
impl Item {
    #[kernel(light)]
    pub fn light(&mut self) {
        self.c = self.a * self.b + self.c - self.a / self.b;
        self.d = f64::from(self.a) - self.d;
    }
    #[kernel(heavy)]
    pub fn heavy(&mut self) {
        for _ in 0..3 {
            self.c = (self.c + self.a).sqrt() * self.b - self.c.abs();
            self.d = self.d.mul_add(1.5, f64::from(self.b));
        }
    }
    #[kernel]
    pub fn shared(&mut self) {
        let c = self.a + self.b * self.c;
        if let Some(other) = self.all::<Item>().get(self.link().index() % 50) {
            other.sum().add(c.to_bits());
        }
        self.c = c;
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Item>) {
        self.c = self.c * other.a() - other.b();
    }
}

#[soa_world]
pub struct Store {
    pub items: Objects<Item>,
}

fn store(count: usize) -> Store {
    let odd =
        [0x7fc0_0000, 0xffc1_2345, 0x7f80_0001, 0x7f80_0000, 0xff80_0000, 0, 0x8000_0000, 0x3f80_0000, 0xc2c8_0000];
    let single = |n, salt| f32::from_bits(odd[mixed(n, salt) as usize % odd.len()]);
    let mut store = Store::new();
    let item = |n| Item { a: single(n, 1), b: single(n, 2), d: f64::from(single(n, 3)), c: single(n, 4), sum: 0 };
    store.items.extend((0..count).map(item)).unwrap();
    store
}

fn run() -> u64 {
    let mut large = store(MANY);
    large.execute(Item::light, ());
    large.execute(Item::heavy, ());
    large.execute(Item::shared, ());
    let mut small = store(300);
    small.execute_pairs(Item::meet, ());
    let bits = |row: Item| (row.c.to_bits(), row.d.to_bits(), row.sum);
    hash(large.items.iter().chain(small.items.iter()).map(bits).collect::<Vec<_>>())
}

const VARIABLE: &str = "IKRA_HOSTILE_BITS";

#[test]
fn with_any_threads_and_instruction_sets() {
    let found = same_with_any_threads(run);
    if std::env::var_os(VARIABLE).is_some() {
        println!("bits: {found}");
        return;
    }
    for isa in ["base", "v3", "v4"] {
        let mut child = Command::new(std::env::current_exe().expect("it is known"));
        child.args(["bits_of_nans::with_any_threads_and_instruction_sets", "--exact", "--nocapture"]);
        let output = child.env(VARIABLE, "1").env("IKRA_ISA", isa).output().expect("the test runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let bits = text.lines().find_map(|line| line.split_once("bits: ")).map(|(_, bits)| bits.trim());
        assert_eq!(bits, Some(&*found.to_string()), "{isa}: {text}{}", String::from_utf8_lossy(&output.stderr));
    }
}
