// A class in the list of a trait that does not implement it.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }
#[soa_class]
pub struct Pedestrian { pub steps: u32 }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
    fn pace(&self) -> u32;
}

#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += self.pace(); }
    fn pace(&self) -> u32 { 10 }
}

fn main() {}
