//! A kernel of a trait knows what the others in the trait's list do, and not what those in another list do.

use ikra::prelude::*;
use ikra::rt::{MethodEffects, Reached};

#[soa_class]
pub struct Car {
    pub km: u32,
}

#[soa_dispatch(Car)]
pub trait Mover {}
#[soa_methods]
impl Mover for Car {}

#[soa_dispatch(Car)]
pub trait Watcher {}
#[soa_methods]
impl Watcher for Car {}

ikra::rt::kernel! {
    pub const step: Step = "Car::step" for Car [0], NoRow;
    exclusive(MethodEffects::new(1, 1).reach(Reached::NONE), 0);
    as Mover, Watcher, 0;
}

fn main() {}
