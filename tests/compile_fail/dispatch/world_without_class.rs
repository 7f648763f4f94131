// A world that does not hold all classes of a trait.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }
#[soa_class]
pub struct Pedestrian { pub steps: u32 }
#[soa_class]
pub struct Sign { pub points_to: ActorLink }

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

#[soa_world]
pub struct Street { pub cars: Objects<Car> }
#[soa_world]
pub struct Signs { pub cars: Objects<Car>, pub signs: Objects<Sign> }

fn main() {
    Street::new().execute(Actor::tick, ());
}
