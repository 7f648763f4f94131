// Methods and constants that are missing, and some that the trait does not have.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }

#[soa_dispatch(Car)]
pub trait Actor {
    const WHEELS: u32;
    #[kernel]
    fn tick(&mut self);
    fn pace(&self) -> u32;
    fn name(&self) -> u8 { 0 }
}

#[soa_methods]
impl Actor for Car {
    const DOORS: u32 = 3;
    fn pace(&self) -> u32 { self.km }
    fn honk(&self) -> u32 { self.km }
}

#[soa_world]
pub struct Town { pub cars: Objects<Car> }

fn main() {
    // No further errors.
    let mut town = Town::new();
    town.execute(Actor::tick, ());
}
