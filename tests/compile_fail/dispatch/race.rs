// A virtual call reads what the kernel writes, in one of the classes.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32, pub ahead: ActorLink }
#[soa_class]
pub struct Pedestrian { pub steps: u32 }

#[soa_dispatch(Car, Pedestrian)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
    fn progress(&self) -> u32;
}

#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) {
        self.km += self.ahead.progress();
    }
    fn progress(&self) -> u32 { self.km }
}
#[soa_methods]
impl Actor for Pedestrian {
    fn tick(&mut self) {}
    fn progress(&self) -> u32 { self.steps }
}

fn main() {}
