use ikra::prelude::*;

#[soa_class]
pub struct X {
    pub f: u32,
}
#[soa_class]
pub struct Y {
    pub p: u64,
    pub q: u64,
}

#[soa_world]
pub struct A {
    pub xs: Objects<X>,
}
#[soa_world]
pub struct B {
    pub ys: Objects<Y>,
}

fn main() {
    let (mut a, mut b) = (A::new(), B::new());
    std::mem::swap(&mut a.made_by_new, &mut b.made_by_new);
    std::mem::swap(World::state_mut(&mut a), World::state_mut(&mut b));
    a.made_by_new = ikra::rt::WorldState::new(&[]);
    let c = A { xs: Objects::new(), made_by_new: b.made_by_new };
    drop(c);
}
