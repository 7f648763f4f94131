//! Random programs. The build script writes one per seed, and a plain model with the same text. Between kernels the
//! program adds objects, changes arrays, reads and writes objects and columns; at the end all kernels run in sequence,
//! and recorded.
//!
//! In other programs objects are born and die in kernels, with links among and across classes, arrays of links, and
//! owners that go with their targets. In between they are selected, grouped, sorted, retained and compacted.
//! `IKRA_LIVES_SEEDS=10..20` are others.
//!
//! Others are sequences of commands: chains of random kernels that choose objects and compute values, over ranges, lists,
//! selections and groups, with each end of a chain. `IKRA_COMMANDS_SEEDS=10..20` are others.
//!
//! For more seeds and larger programs: `IKRA_RANDOM_SEEDS=100..104 cargo test -p ikra-random-tests`. With `--config
//! 'profile.dev.package.ikra-random-tests.opt-level=1'` the programs take longer to compile, but are small and fast.
#![forbid(unsafe_code)]
#![allow(warnings, clippy::all, clippy::pedantic, missing_docs, reason = "generated")]

include!(concat!(env!("OUT_DIR"), "/modules.rs"));
include!(concat!(env!("OUT_DIR"), "/plain.rs"));
include!(concat!(env!("OUT_DIR"), "/lives.rs"));
include!(concat!(env!("OUT_DIR"), "/commands.rs"));

/// A program.
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// Runs all kernels several times, compares, and reports differences. Returns the number of kernels.
    pub run: fn(ikra::Place, u64, &mut dyn FnMut(String)) -> usize,
}

/// A program whose objects come and go.
pub struct Lively {
    /// Its name.
    pub name: &'static str,
    /// Whether a GPU makes the objects, and removes those of classes that nobody owns.
    pub is_simple: bool,
    /// Whether the device code has its kernels.
    pub is_for_device: bool,
    /// Starts at a place with about this number of objects of a class, runs some steps, compares, and reports
    /// differences.
    pub run: fn(ikra::Place, usize, u64, &mut dyn FnMut(String)) -> Ran,
}

/// The kernels that a program called.
pub struct Ran {
    /// How many kernels it has that change objects.
    pub kernels: usize,
    /// The kernels that ran on a GPU, not on the host instead.
    pub on_device: Vec<&'static str>,
}

/// A program of commands.
pub struct Commanded {
    /// Its name.
    pub name: &'static str,
    /// Starts at a place with this number of objects, and runs all commands some times. Panics if a result differs from
    /// that of the model, with the text of the last commands. Returns the number of runs.
    pub run: fn(ikra::Place, usize, u64) -> usize,
}

/// The comparable content of a value.
pub trait Dump {
    fn dump(&self, to: &mut Vec<u64>);
}
macro_rules! dump {
    ($($ty:ty)*) => { $(impl Dump for $ty { fn dump(&self, to: &mut Vec<u64>) { to.push(*self as u64); } })* };
}
dump!(bool u8 u16 u32 u64 i8 i16 i32 i64);
impl Dump for f32 {
    /// NaNs may differ in their bits.
    fn dump(&self, to: &mut Vec<u64>) {
        to.push(if self.is_nan() { u64::MAX } else { u64::from(self.to_bits()) });
    }
}
impl Dump for f64 {
    fn dump(&self, to: &mut Vec<u64>) {
        to.push(if self.is_nan() { u64::MAX } else { self.to_bits() });
    }
}
impl<T: Dump, const N: usize> Dump for [T; N] {
    fn dump(&self, to: &mut Vec<u64>) {
        to.push(N as u64);
        self.iter().for_each(|x| x.dump(to));
    }
}
impl<A: Dump, B: Dump> Dump for (A, B) {
    fn dump(&self, to: &mut Vec<u64>) {
        self.0.dump(to);
        self.1.dump(to);
    }
}
impl<A: Dump, B: Dump, C: Dump> Dump for (A, B, C) {
    fn dump(&self, to: &mut Vec<u64>) {
        (&self.0, &self.1).dump(to);
        self.2.dump(to);
    }
}
impl<T: Dump> Dump for &T {
    fn dump(&self, to: &mut Vec<u64>) {
        (*self).dump(to);
    }
}
impl<T: Dump> Dump for Option<T> {
    fn dump(&self, to: &mut Vec<u64>) {
        match self {
            None => to.push(u64::MAX - 1),
            Some(x) => x.dump(to),
        }
    }
}
impl<C: ikra::Class> Dump for ikra::Link<C> {
    fn dump(&self, to: &mut Vec<u64>) {
        to.push(self.index() as u64);
    }
}
impl<T: Dump + ikra::Value> Dump for ikra::InnerArray<T> {
    fn dump(&self, to: &mut Vec<u64>) {
        to.push(self.len() as u64);
        self.iter().for_each(|x| x.dump(to));
    }
}

/// A value computed from a number.
pub trait Make {
    fn make(h: u64) -> Self;
}
pub fn make<T: Make>(h: u64) -> T {
    T::make(h)
}
macro_rules! make {
    ($($ty:ty)*) => { $(impl Make for $ty {
        fn make(h: u64) -> Self { if h % 3 == 0 { (h >> 7) as Self } else { (h >> 7) as Self % 11 } }
    })* };
}
make!(u8 u16 u32 u64 i8 i16 i32 i64);
impl Make for bool {
    fn make(h: u64) -> Self {
        h % 3 == 0
    }
}
impl Make for f32 {
    fn make(h: u64) -> Self {
        (h % 4000) as f32 * 0.25 - 300.0
    }
}
impl Make for f64 {
    fn make(h: u64) -> Self {
        (h % 4001) as f64 * 0.3 - 300.0
    }
}
impl<T: Make, const N: usize> Make for [T; N] {
    fn make(h: u64) -> Self {
        std::array::from_fn(|k| T::make(mix(h, k as u64)))
    }
}

/// A pseudo-random number.
pub fn mix(a: u64, b: u64) -> u64 {
    let mut x = a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b.wrapping_mul(0xc2b2_ae3d_27d4_eb4f) ^ 0x1234_5678;
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x = (x ^ x >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    x ^ x >> 32
}
/// Lengths of arrays of varying length.
pub fn len(h: u64) -> usize {
    [0, 1, 2, 3, 5, 8][mix(h, 99) as usize % 6]
}
pub fn every(n: usize) -> std::ops::Range<usize> {
    0..n
}
pub fn middle(n: usize) -> std::ops::Range<usize> {
    5..n - 3
}
pub fn chosen(n: usize) -> Vec<usize> {
    (0..n).map(|k| k * 11 % n).filter(|k| k % 4 != 1).collect()
}
