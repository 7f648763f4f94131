// Must be refused, or be right.
//! The colon of a field before a path makes the path look rooted: `core` is a module of the program.
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

pub struct Wrap {
    pub v: (),
}

#[cfg(feature = "attack")]
mod core {
    macro_rules! line {
        () => {
            include!("bump.in")
        };
    }
    pub(crate) use line;
}

#[cfg(feature = "attack")]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        #[rustfmt::skip]
        let Wrap { v: () } = Wrap { v:core::line!() };
    }
}

#[cfg(not(feature = "attack"))]
#[soa_methods]
impl Body {
    #[kernel]
    pub fn go(&mut self) {
        self.y += 1;
        let Wrap { v: () } = Wrap { v: self.x += 1 };
    }
}
