use ikra::prelude::*;
use ikra::rt::{AnyObjects, FieldSet};

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
    for objects in a.members_mut().as_mut() {
        objects.add(1).unwrap();
        objects.truncate(1 << 30);
        *objects.mirror() = None;
        objects.uploaded(FieldSet::ALL);
        objects.changed_on_device(FieldSet::ALL);
        objects.lose_device();
    }
    AnyObjects::truncate(&mut a.xs, 1 << 30);
}
