use ikra::prelude::*;
use ikra::rt::{AnyObjects, Visitor};

#[soa_class]
pub struct X {
    pub f: u32,
}

#[soa_world]
pub struct A {
    pub xs: Objects<X>,
}

fn main() {
    let mut a = A::new();
    a.visit_members(&mut Visitor::new(&mut |objects: &mut dyn AnyObjects| objects.truncate(1 << 30)));
    Visitor::new(&mut |objects: &mut dyn AnyObjects| *objects.mirror() = None).visit(&mut a.xs);
    *a.state_mut().device() = None;
}
