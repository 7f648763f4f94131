// Must be refused, or be right.
//! A derive on an item in a body defines a macro named like a macro of the standard library.
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
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        #[derive(evil::Line)]
        #[allow(dead_code)]
        struct S;
        let _ = line!();
    }
}

#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        #[allow(dead_code)]
        struct S;
        self.x += 1;
    }
}
