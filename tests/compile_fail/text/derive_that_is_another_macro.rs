//! `derive` is a macro, and its name may mean another.

use ikra::prelude::*;
use ikra_attribute_tests::becomes as derive;

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn hide(&mut self) {
        self.y += 1;
        #[derive("self.x += 1;")]
        struct S;
    }
    #[kernel]
    pub fn hide_by_an_import(&mut self) {
        use ikra_attribute_tests::becomes as derive;
        self.y += 1;
        #[derive("self.x += 1;")]
        struct S;
    }
}

fn main() {}
