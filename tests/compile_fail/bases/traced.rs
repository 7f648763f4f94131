use std::cell::Cell;
use std::rc::Rc;

use ikra::prelude::*;
use ikra::trace::{Trace, TraceWorld};

#[soa_class]
pub struct Body {
    pub mass: f32,
    pub next: Option<Link<Body>>,
}

#[soa_class]
pub struct Moon {
    pub body: Link<Body>,
}

#[soa_dispatch(Body)]
pub trait Heavy {}

#[soa_methods]
impl Heavy for Body {}

#[soa_world]
pub struct Sky {
    pub bodies: Objects<Body>,
    pub moons: Objects<Moon>,
}

#[derive(Trace)]
#[trace(class = Body)]
struct PlainBody {
    mass: Cell<f32>,
    next: Option<Rc<PlainBody>>,
}

#[derive(Trace)]
#[trace(class = Moon)]
struct PlainMoon {
    body: Rc<PlainBody>,
}

#[derive(Trace)]
#[trace(link = Heavy)]
enum PlainHeavy {
    Body(Rc<PlainBody>),
}

fn main() {
    let body = Rc::new(PlainBody { mass: Cell::new(1.0), next: None });
    let moon = Rc::new(PlainMoon { body });
    let _ = Sky::trace(&moon);
}
