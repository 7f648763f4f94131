// A type of another package in the list of a trait.
use ikra::prelude::*;
use std::time::Duration;

#[soa_class]
pub struct Car { pub km: u32 }

#[soa_dispatch(Car, Duration)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
    fn pace(&self) -> u32 { 1 }
}
#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += self.pace(); }
}

#[soa_world]
pub struct Town { pub cars: Objects<Car> }

fn main() { Town::new().execute(Actor::tick, ()); }
