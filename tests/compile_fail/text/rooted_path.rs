//! What a path that begins with `::` leads to is for the crate to say: a macro there may be anybody's.

extern crate self as alloc;

use ikra::prelude::*;

#[macro_export]
macro_rules! line {
    () => {
        include!("hidden_include.in")
    };
}

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
        ::alloc::line!();
    }
}

fn main() {}
