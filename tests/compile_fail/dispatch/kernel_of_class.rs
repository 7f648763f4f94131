//! `#[kernel]` on a class's method, and not on the trait's.
use ikra::prelude::*;

#[soa_class]
pub struct Car {
    pub km: u32,
}

#[soa_dispatch(Car)]
pub trait Actor {
    fn tick(&mut self);
}

#[soa_methods]
impl Actor for Car {
    #[kernel]
    fn tick(&mut self) {
        self.km += 1;
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}

fn main() {
    let mut town = Town::new();
    town.execute(Car::tick, ());
    town.execute(Actor::tick, ());
}
