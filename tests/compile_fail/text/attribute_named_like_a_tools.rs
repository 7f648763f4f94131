//! A module may have the name of a tool: its attributes are macros.

use ikra::prelude::*;

pub mod rustfmt {
    pub use ikra_attribute_tests::{becomes as item, first as skip};
}

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
}

#[soa_methods]
impl Cell {
    #[rustfmt::skip("self.x += 1;")]
    #[kernel]
    pub fn on_a_method(&mut self) {
        self.y += 1;
    }
    #[kernel]
    pub fn in_a_body(&mut self) {
        self.y += 1;
        #[rustfmt::item("self.x += 1;")]
        struct S;
    }
}

#[soa_methods]
#[cfg_attr(all(), rustfmt::skip("self.x += 1;"))]
impl Cell {
    #[kernel]
    pub fn in_a_block(&mut self) {
        self.y += 1;
    }
}

fn main() {}
