// What the kernel of one class writes, that of another reads: both are one kernel of a trait.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }
#[soa_class]
pub struct Pedestrian { pub steps: u32, pub watches: Link<Car> }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
}

#[soa_methods]
impl Actor for Car {
    #[kernel(snapshot(km))]
    fn tick(&mut self) { self.km += 1; }
}
#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self) {
        if self.watches.km() > 100 { self.steps += 1; }
    }
}

fn main() {}
