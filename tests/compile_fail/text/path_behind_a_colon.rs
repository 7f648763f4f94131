//! One colon before a path belongs to a field's name: the path begins with a module of the user's.

use ikra::prelude::*;

pub mod core {
    macro_rules! bump {
        () => {
            include!("hidden_include.in")
        };
    }
    #[allow(unused_imports)]
    pub(crate) use bump as line;
}

pub struct Wrap {
    pub v: (),
}

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
}

#[rustfmt::skip]
#[soa_methods]
impl Cell {
    #[kernel]
    pub fn hide(&mut self) {
        self.y += 1;
        let _ = Wrap { v:core::line!() };
    }
}

fn main() {}
