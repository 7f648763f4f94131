use ikra::prelude::*;

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
    ikra::rt::AnyObjects::truncate(&mut a.xs, 1 << 30);
    let visitor: ikra::rt::Visitor<'_> = ikra::rt::Visitor(&mut |_: &mut dyn ikra::rt::AnyObjects| {});
    a.visit_members(&mut |objects: &mut dyn ikra::rt::AnyObjects| objects.truncate(1 << 30));
    drop(visitor);
}
