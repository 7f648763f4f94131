// A trait that is not under `#[soa_dispatch]`.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }

pub trait Actor {
    fn tick(&mut self);
}

#[soa_methods]
impl Actor for Car {
    fn tick(&mut self) { self.km += 1; }
}

fn main() {}
