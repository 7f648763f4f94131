// Must be refused, or be right.
//! A rooted path names a crate of the standard library, unless the program has that name itself. The macro is then the
//! program's own, and expands to a file that names `self`.
use ikra::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};

#[soa_class]
pub struct Body {
    pub x: u32,
    pub y: u32,
}

#[soa_world]
pub struct Sim {
    pub bodies: Objects<Body>,
}

/// The write is there, or it was refused by a panic that names the field.
fn main() {
    let mut sim = Sim::new();
    sim.bodies.push(Body { x: 5, y: 1 }).unwrap();
    let ended = catch_unwind(AssertUnwindSafe(|| sim.execute(Body::go, ())));
    let x = sim.bodies.column(body::x)[0];
    assert!(ended.is_err() && x == 5 || x == 6, "the write is lost");
}

#[cfg(feature = "attack")]
extern crate self as alloc;

#[cfg(feature = "attack")]
#[macro_export]
macro_rules! line {
    () => {
        include!("bump.in")
    };
}

#[cfg(feature = "attack")]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        ::alloc::line!();
    }
}

#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += ::core::line!();
        self.x += 1;
    }
}
