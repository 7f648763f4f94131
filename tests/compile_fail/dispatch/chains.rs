// A trait's kernels are no part of a chain, which is for objects of one class.
use ikra::{Place, prelude::*};

#[soa_class]
pub struct Car {
    pub km: u32,
}

#[soa_dispatch(Car)]
pub trait Actor {
    #[kernel]
    fn is_old(&self) -> bool;
    #[kernel(reduce(Sum))]
    fn driven(&self) -> u32;
}

#[soa_methods]
impl Actor for Car {
    fn is_old(&self) -> bool {
        self.km > 100
    }
    fn driven(&self) -> u32 {
        self.km
    }
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn is_new(&self) -> bool {
        self.km < 10
    }
    #[kernel(reduce(Sum))]
    pub fn age(&self) -> u32 {
        self.km / 10
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}

fn main() {
    let mut town = Town::new();
    // Those of a class are.
    let _ = town.select(Car::is_old, ()).map(Car::driven, ()).collect();
    let _ = town.select(Actor::is_old, ());
    let _ = town.on(Place::Host).select(Actor::is_old, ());
    let _ = town.map(Actor::driven, ());
    // The objects that it chooses are of one class.
    town.select(Car::is_new, ()).execute(Actor::driven, ());
}
