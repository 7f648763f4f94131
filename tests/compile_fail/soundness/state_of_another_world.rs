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
    std::mem::swap(&mut a.__ikra, &mut b.__ikra);
    std::mem::swap(World::state_mut(&mut a), World::state_mut(&mut b));
    a.__ikra = ikra::rt::WorldState::new(&[]);
    let c = A { xs: Objects::new(), __ikra: b.__ikra };
    drop(c);
}
