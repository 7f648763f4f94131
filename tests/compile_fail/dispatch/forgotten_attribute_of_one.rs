// One of several classes' blocks of a trait, without `#[soa_methods]`.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32, pub ahead: Option<ActorLink> }
#[soa_class]
pub struct Pedestrian { pub steps: u32 }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
    fn pace(&self) -> u32 { 1 }
}
#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += self.ahead.map_or(1, |actor| actor.pace()); }
}
impl Actor for Pedestrian {
    fn tick(&mut self) { self.steps += 1; }
}

#[soa_world]
pub struct Town { pub cars: Objects<Car>, pub pedestrians: Objects<Pedestrian> }

fn main() {
    let mut town = Town::new();
    town.execute(Actor::tick, ());
}
