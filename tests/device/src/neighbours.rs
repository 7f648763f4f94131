//! Groups as arguments: cells of grids, numbers, and keys of the model's own.

use ikra::prelude::*;
use ikra::{Grid, Keys};

/// Keys with parts of several sizes.
#[derive(Clone, Copy, Debug, Value)]
#[repr(C)]
pub struct Shells {
    pub width: f64,
    pub count: u32,
}

impl Keys<f64> for Shells {
    fn groups(&self) -> u32 {
        self.count
    }
    fn key(&self, of: f64) -> Option<u32> {
        Some(((of / self.width) as u32).min(self.count - 1))
    }
}

#[soa_class(layout = "tiles")]
#[derive(Clone, Debug)]
pub struct Mote {
    pub pos: [f32; 3],
    pub kind: u32,
    pub near: u32,
    pub sum: [f32; 3],
    pub mixed: u64,
    pub friend: Option<Link<Mote>>,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Probe {
    pub pos: [f32; 2],
    pub found: u32,
    pub mixed: u64,
}

#[soa_methods]
impl Mote {
    #[kernel]
    pub fn in_space(&self) -> [f32; 3] {
        self.pos
    }
    #[kernel]
    pub fn in_plane(&self) -> [f32; 2] {
        [self.pos[0], self.pos[1]]
    }
    #[kernel]
    pub fn kind_of(&self) -> u32 {
        self.kind
    }
    #[kernel]
    pub fn distance(&self) -> f64 {
        let [x, y, z] = self.pos;
        f64::from(x * x + y * y + z * z).sqrt()
    }
    #[kernel]
    pub fn is_of(&self, kind: u32) -> bool {
        self.kind == kind
    }
    #[kernel]
    pub fn look(&mut self, near: Groups<Mote, Grid<3>>, radius: f32) {
        (self.near, self.sum) = (0, [0.0; 3]);
        for other in near.around(self.pos) {
            let offset = near.grid().offset(self.pos, other.pos());
            let [x, y, z] = offset;
            if x * x + y * y + z * z <= radius * radius {
                self.near += 1;
                for d in 0..3 {
                    self.sum[d] += offset[d];
                }
            }
        }
    }
    /// Depends on the order.
    #[kernel]
    pub fn mix(&mut self, factor: u64, kinds: Groups<Mote>) {
        self.mixed = kinds
            .of(self.kind)
            .fold(1, |sum: u64, other| sum.wrapping_mul(factor).wrapping_add(other.link().index() as u64));
        self.friend = kinds.of(self.kind).nth(2);
    }
    #[kernel]
    pub fn shells(&mut self, some: Groups<Mote, Shells>, kinds: Groups<Mote>) {
        let shell = some.keys().key(self.distance()).unwrap_or(0);
        self.mixed = some.of(shell).map(|other| u64::from(other.kind())).sum();
        self.mixed += 1000 * kinds.of(self.kind).len() as u64 + u64::from(some.groups());
    }
    #[kernel(reduce(Max))]
    pub fn most(&self, kinds: Groups<Mote>) -> u32 {
        kinds.of(self.kind).len() as u32
    }
    #[kernel]
    pub fn drift(&mut self, by: u32) {
        self.near = self.near.wrapping_mul(31).wrapping_add(by ^ self.kind);
    }
    /// In one kernel with `is_left` on a device.
    #[kernel(reduce(Sum))]
    pub fn height(&self, times: f64) -> f64 {
        f64::from(self.pos[2]) * times
    }
    #[kernel(heavy, reduce(Sum, Min))]
    pub fn strain(&self, by: f32, of: u32) -> f32 {
        (self.pos[0] - by) * (self.pos[1] + by) / (1.0 + (self.kind ^ of) as f32)
    }
    #[kernel(heavy)]
    pub fn is_deep(&self) -> bool {
        self.pos[1] > 3.0
    }
    #[kernel]
    pub fn is_left(&self, of: f32) -> bool {
        self.pos[0] < of
    }
    /// Columns with elements of several sizes.
    #[kernel]
    pub fn rise(&mut self, by: Of<f64>, times: u32, place: Of<[f32; 3]>) {
        self.mixed = self.mixed.wrapping_mul(31).wrapping_add(by.to_bits()) ^ u64::from(times);
        for d in 0..3 {
            self.sum[d] += place[d];
        }
    }
    #[kernel(reduce(Max))]
    pub fn least(&self, kinds: Of<u32>) -> u32 {
        *kinds
    }
    #[kernel]
    pub fn beyond(&mut self, kinds: Groups<Mote>) {
        self.near = kinds.of(self.kind + 1_000_000).len() as u32;
    }
}

/// A block by itself: in chains, a device runs its kernels by themselves.
#[soa_methods]
impl Mote {
    #[kernel(reduce(Sum, Max))]
    pub fn depth(&self) -> f32 {
        7.0 - self.pos[1]
    }
}

#[soa_methods]
impl Probe {
    /// Objects of another class.
    #[kernel]
    pub fn find(&mut self, near: Groups<Mote, Grid<2>>) {
        (self.found, self.mixed) = (0, 1);
        for mote in near.around(self.pos) {
            self.found += 1;
            self.mixed = self.mixed.wrapping_mul(31).wrapping_add(mote.link().index() as u64);
        }
    }
}

#[soa_world]
pub struct Cloud {
    pub motes: Objects<Mote>,
    pub probes: Objects<Probe>,
}
