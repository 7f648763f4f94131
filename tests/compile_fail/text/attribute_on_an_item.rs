//! An attribute of an item in a method may be a macro, and make statements of it.

use ikra::prelude::*;
use ikra_attribute_tests::becomes;

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
    #[atomic]
    pub count: u32,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn by_path(&mut self) {
        self.y += 1;
        #[ikra_attribute_tests::becomes("self.x += 1;")]
        struct S;
    }
    #[kernel]
    pub fn by_name(&mut self) {
        if self.y > 1 {
            #[becomes("self.x += 1;")]
            struct S;
        }
    }
    #[kernel]
    pub fn by_condition(&mut self) {
        self.y += 1;
        #[cfg_attr(all(), becomes("self.x += 1;"))]
        struct S;
    }
    pub fn peek(&self) -> u32 {
        #[becomes("let _ = self.count.load();")]
        struct S;
        0
    }
}

fn main() {}
