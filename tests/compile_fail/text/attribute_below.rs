//! An attribute below `#[soa_methods]` would change methods that were read already.

use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
}

#[soa_methods]
#[ikra_attribute_tests::first("self.x += 1;")]
impl Cell {
    #[kernel]
    pub fn hide(&mut self) {
        self.y += 1;
    }
}

#[soa_dispatch(Cell)]
pub trait Actor {
    #[kernel]
    fn act(&mut self);
}

#[soa_methods]
#[allow(dead_code)]
#[cfg_attr(all(), ikra_attribute_tests::first("self.x += 1;"))]
impl Actor for Cell {
    fn act(&mut self) {
        self.y += 1;
    }
}

fn main() {}
