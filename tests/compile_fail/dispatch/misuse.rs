// Links and refs of a trait where those of a class are wanted, and the other way round.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32, pub ahead: Option<ActorLink> }
#[soa_class]
pub struct Pedestrian { pub steps: u32 }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self, by: u32);
    fn pace(&self) -> u32;
}
#[soa_methods]
impl Actor for Car {
    fn tick(&mut self, by: u32) { self.km += by; }
    fn pace(&self) -> u32 { 10 }
}
#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self, by: u32) { self.steps += by; }
    fn pace(&self) -> u32 { 1 }
}

#[soa_world]
pub struct Town { pub cars: Objects<Car>, pub pedestrians: Objects<Pedestrian> }

fn misuse(town: &mut Town, actor: ActorLink, car: Link<Car>) {
    let _: Link<Car> = actor.into();
    let _ = actor.index();
    let _ = town.get(actor).km();
    let _: ActorLink = Link::<Missing>::from_index(0).unwrap().into();
    match actor.class() {
        ActorIs::Car(_) => {}
    }
    town.execute(Actor::tick, 1.5);
    town.execute(Actor::pace, ());
    town.over(&[car]).execute(Actor::tick, 1);
    town.over(0..1).execute(Actor::tick, 1);
}

#[soa_class]
pub struct Missing { pub x: u32 }

fn main() {}
