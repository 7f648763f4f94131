use ikra::prelude::*;

#[soa_world]
pub struct A<T> { t: T }

#[soa_world]
pub struct B(f32);

#[soa_world]
pub struct C {}

#[soa_world]
pub enum D { E }

#[soa_world(big)]
pub struct F { x: Objects<G> }

#[soa_class]
pub struct G { pub x: f32 }

fn main() {}
