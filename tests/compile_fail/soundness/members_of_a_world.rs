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
        objects.add(1);
        objects.truncate(1 << 30);
        let mut copies = objects.copies();
        copies.uploaded(1, FieldSet::ALL);
        copies.changed(1, FieldSet::ALL);
        copies.mirror(1).is_none();
        objects.lose(1);
    }
    AnyObjects::truncate(&mut a.xs, 1 << 30);
}
