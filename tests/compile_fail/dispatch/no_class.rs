// A struct without `#[soa_class]` among the classes of a trait.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }
pub struct Pedestrian { pub steps: u32 }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
}
#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += 1; }
}
#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self) { self.steps += 1; }
}

fn main() {}
