// Must be refused, or be right.
//! An attribute macro in a module named like a built-in attribute.
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
mod cold {
    pub use evil::body;
}

#[cfg(feature = "attack")]
#[soa_methods]
impl Body {
    #[kernel]
    #[cold::body("self.x += 1;")]
    pub fn go(&mut self) {
        self.y += 1;
        let _here = ();
    }
}

#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Body {
    #[kernel]
    #[cold]
    pub fn go(&mut self) {
        self.y += 1;
        let _here = ();
        self.x += 1;
    }
}
