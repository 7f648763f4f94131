//! Zero-sized arguments, and kernels that only the host runs. They must not prevent others from running on the device.

use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Marker {
    pub nothing: [u32; 0],
}

/// A tuple, which is not a value; the alias hides this from the macro.
pub type Both = (u8, f64);

#[soa_class]
#[derive(Clone, Debug)]
pub struct Taker {
    pub n: u32,
}

#[soa_methods]
impl Taker {
    #[kernel]
    pub fn spawn(id: u32, _: Marker, n: u32) -> Self {
        Self { n: n + id }
    }
    #[kernel]
    pub fn first(&mut self, _marker: Marker, n: u32) {
        self.n += n;
    }
    #[kernel]
    pub fn middle(&mut self, a: u32, _nothing: [u32; 0], b: u64) {
        self.n += a * 10 + b as u32;
    }
    #[kernel]
    pub fn last(&mut self, a: u32, _nothing: [Marker; 3]) {
        self.n += a;
    }
    #[kernel]
    pub fn alone(&mut self, _marker: Marker) {
        self.n += 1;
    }
    #[kernel(reduce(Sum))]
    pub fn sum(&self, _marker: Marker, n: u32) -> u32 {
        self.n * n
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, _other: Ref<Taker>, _marker: Marker, n: u32) {
        self.n += n;
    }

    #[kernel]
    pub fn with_tuple(&mut self, both: (u8, f64)) {
        self.n += u32::from(both.0) + both.1 as u32;
    }
    #[kernel]
    pub fn with_alias(&mut self, both: Both, by: u32) {
        self.n += u32::from(both.0) + both.1 as u32 + by;
    }
    #[kernel]
    pub fn with_slice(&mut self, all: &[u32]) {
        self.n += all[0];
    }
    #[kernel]
    pub fn with_closure(&mut self, of: impl Fn(u32) -> u32 + Copy + Send + Sync) {
        self.n = of(self.n);
    }
}

#[soa_world]
pub struct Takers {
    pub takers: Objects<Taker>,
}
