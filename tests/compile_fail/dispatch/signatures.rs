// Methods whose signatures are not the trait's.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }

pub type Metres = u32;

#[soa_dispatch(Car)]
pub trait Actor {
    fn number(&self, a: u32) -> u32;
    fn receiver(&self);
    fn other_receiver(&mut self);
    fn argument(&self, a: u32);
    fn result(&self) -> f32;
    fn alias(&self, a: u32) -> u32;
}

#[soa_methods]
impl Actor for Car {
    fn number(&self) -> u32 { self.km }
    fn receiver(&mut self) {}
    fn other_receiver(self) {}
    fn argument(&self, _: f32) {}
    fn result(&self) -> u32 { self.km }
    fn alias(&self, a: Metres) -> Metres { a }
}

fn main() {}
