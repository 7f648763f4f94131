//! Kernels for pairs of large objects.

use ikra::prelude::*;

#[soa_class]
pub struct Huge {
    pub sum: u64,
    pub values: [f32; 65536],
    pub next: u32,
}

#[soa_class]
pub struct Large {
    pub sum: u64,
    pub values: [u32; 2048],
    #[inline_array(2)]
    pub seen: InnerArray<u32>,
}

#[soa_methods]
impl Huge {
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Huge>) {
        self.sum = self.sum.wrapping_mul(31).wrapping_add(u64::from(other.next()));
        self.values[7] += 1.0;
    }
    #[kernel]
    pub fn alone(&mut self) {
        self.values[65535] = self.values[7];
    }
}

#[soa_methods]
impl Large {
    #[kernel(pairs, snapshot(values, sum))]
    pub fn meet(&mut self, other: Ref<Large>, factor: u32) {
        let mine = self.values[5];
        self.values[5] = mine.wrapping_mul(factor).wrapping_add(other.values()[5]);
        self.sum = self.sum.wrapping_mul(31).wrapping_add(u64::from(mine) + other.sum());
        self.seen[2] = mine;
    }
}

#[soa_world]
pub struct Hall {
    pub huge: Objects<Huge>,
    pub large: Objects<Large>,
}

/// In a release build, a worker's usual stack of 2 MiB suffices. Debug builds copy a row a dozen times, also in plain
/// Rust.
#[test]
fn rows_of_a_quarter_megabyte_meet() {
    let stack = if cfg!(debug_assertions) { 16 << 20 } else { 2 << 20 };
    for threads in [1, 2] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).stack_size(stack).build().unwrap();
        pool.install(meet);
    }
}

fn meet() {
    let mut hall = Hall::new();
    let rows = if cfg!(debug_assertions) { 4 } else { 70 };
    for next in 0..rows {
        hall.huge.push(Huge { sum: 0, values: [0.5; 65536], next }).unwrap();
    }
    hall.execute_pairs(Huge::meet, ());
    hall.execute(Huge::alone, ());
    let sum = (0..u64::from(rows)).fold(0_u64, |sum, next| sum.wrapping_mul(31).wrapping_add(next));
    assert!(hall.huge.column(huge::sum).iter().all(|other| *other == sum));
    let column = hall.huge.column(huge::values);
    assert!(
        column.iter().all(|values| values[7] == rows as f32 + 0.5 && values[65535] == values[7] && values[8] == 0.5)
    );
}

/// Reads of other objects see the state before the kernel, and reads of the own object see its changes, as in a block.
#[test]
fn rows_of_kilobytes_meet_as_in_a_double_loop() {
    let mut hall = Hall::new();
    let n = if cfg!(debug_assertions) { 80_u32 } else { 300 };
    for k in 0..n {
        let mut values = [0; 2048];
        values[5] = k;
        hall.large.push(Large { sum: u64::from(k), values, seen: [0; 3].into() }).unwrap();
    }
    hall.execute_pairs(Large::meet, 3);
    for (k, row) in hall.large.iter().enumerate() {
        let (mut sum, mut value, mut seen) = (k as u64, k as u32, 0);
        for other in 0..n {
            seen = value;
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(value) + u64::from(other));
            value = value.wrapping_mul(3).wrapping_add(other);
        }
        assert_eq!((row.sum, row.values[5], row.seen[2]), (sum, value, seen), "object {k}");
    }
}
