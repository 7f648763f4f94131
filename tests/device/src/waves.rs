//! Kernels with snapshots of two classes.

use ikra::prelude::*;

#[soa_class]
pub struct Left {
    pub a: u32,
    pub b: u32,
    pub next: Link<Left>,
}

#[soa_methods]
impl Left {
    #[kernel(snapshot(a))]
    pub fn turn(&mut self) {
        self.a = self.a.wrapping_mul(3).wrapping_add(self.next.a());
    }

    #[kernel(snapshot(b))]
    pub fn swing(&mut self) {
        self.b = self.b.wrapping_mul(5).wrapping_add(self.next.b()).wrapping_add(self.a);
    }

    #[kernel]
    pub fn shift(&mut self) {
        self.a = self.a.wrapping_add(7);
    }

    /// A recursive method, so that it finds its columns in constant memory.
    pub fn ahead(&self, steps: u32) -> u32 {
        if steps == 0 { self.a } else { self.next.ahead(steps - 1).wrapping_mul(3) ^ self.a }
    }

    #[kernel]
    pub fn trace(&mut self) {
        let first = self.resolve(Link::<Left>::from_id(1).unwrap());
        self.b = first.ahead(self.b % 4).wrapping_add(self.a);
    }
}

#[soa_class]
pub struct Right {
    pub c: u32,
}

#[soa_methods]
impl Right {
    #[kernel(snapshot(c))]
    pub fn turn(&mut self) {
        self.c = self.c.wrapping_mul(9).wrapping_add(1);
    }
}

#[soa_world]
pub struct Waves {
    pub left: Objects<Left>,
    pub right: Objects<Right>,
}
