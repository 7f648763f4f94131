//! A trait's kernel is made of kernels that know of each other: no other takes the place of one.

use ikra::prelude::*;

#[soa_class]
pub struct Car {
    pub km: u32,
    pub watches: Option<Link<Walker>>,
}
#[soa_class]
pub struct Walker {
    pub km: u32,
}

#[soa_dispatch(Car, Walker)]
pub trait Mover {
    #[kernel]
    fn step(&mut self);
}
#[soa_methods]
impl Mover for Walker {
    fn step(&mut self) {
        self.km += 1;
    }
}

// By itself it may read what walkers write in `step`.
#[soa_dispatch(Car)]
pub trait Watcher {
    #[kernel]
    fn watch(&mut self);
}
#[soa_methods]
impl Watcher for Car {
    fn watch(&mut self) {
        self.km = self.watches.map_or(0, |walker| walker.km());
    }
}
impl ikra::dispatch::Implements<Mover> for Car {}
impl ikra_core::kernel::HasKernel<Mover, 0> for Car {
    type Kernel = <Car as ikra_core::kernel::HasKernel<Watcher, 0>>::Kernel;
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
    pub walkers: Objects<Walker>,
}

fn main() {
    Town::new().execute(Mover::step, ());
}
