// Must be refused, or be right.
//! A macro hidden by another macro's argument, through an alias from a glob import.
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
mod harmless {
    macro_rules! bump {
        () => {
            include!("bump.in")
        };
    }
    pub(crate) use bump as stringify;
}

#[cfg(feature = "attack")]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        assert!({
            use crate::harmless::*;
            stringify!();
            true
        });
    }
}

#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        assert!({
            let _ = stringify!(self.x += 1);
            self.x += 1;
            true
        });
    }
}
