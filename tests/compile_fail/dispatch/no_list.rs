// A trait without a list of classes.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32, pub ahead: Option<ActorLink> }

#[soa_dispatch]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
    fn pace(&self) -> u32 { 1 }
}
#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += self.ahead.map_or(1, |ahead| ahead.pace()); }
}

#[soa_world]
pub struct Town { pub cars: Objects<Car> }

fn main() { Town::new().execute(Actor::tick, ()); }
