// An atomic field that the kernel of one class loads, and that of another updates.
use ikra::prelude::*;

#[soa_class]
pub struct Car { #[atomic] pub seen: u32, pub km: u32 }
#[soa_class]
pub struct Pedestrian { pub steps: u32, pub watches: Link<Car> }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
}

#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += self.seen.load(); }
}
#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self) { self.watches.seen().add(1); }
}

fn main() {}
