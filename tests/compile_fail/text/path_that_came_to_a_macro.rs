//! A macro is called by a path that came to another macro.

use ikra::prelude::*;

macro_rules! bump {
    () => {
        include!("hidden_include.in")
    };
}
pub(crate) use bump;

#[soa_class]
pub struct Cell {
    pub x: u32,
    pub y: u32,
}

macro_rules! kernel_with {
    ($path:path, $this:tt) => {
        #[soa_methods]
        impl Cell {
            #[kernel]
            pub fn hide(&mut $this) {
                $this.y += 1;
                $path!();
            }
        }
    };
}
kernel_with!(crate::bump, self);

fn main() {}
