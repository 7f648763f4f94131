//! A body may give the names of the standard library's crates and macros another meaning.

use ikra::prelude::*;

#[macro_export]
macro_rules! bump {
    () => {
        include!("hidden_include.in")
    };
}
pub use bump as line;

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn by_crate(&mut self) {
        extern crate self as core;
        core::line!();
    }
    #[kernel]
    pub fn by_module(&mut self) {
        mod alloc {
            pub(super) use crate::line;
        }
        alloc::line!();
    }
    #[kernel]
    pub fn by_macro(&mut self) {
        macro_rules! stringify {
            ($arguments:tt $bang:tt $name:ident) => {
                $name $bang $arguments
            };
        }
        stringify!(() ! bump);
    }
}

fn main() {}
