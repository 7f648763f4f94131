// A class's block of a trait, without `#[soa_methods]`.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }

#[soa_dispatch(Car)]
pub trait Actor {
    #[kernel]
    fn tick(&mut self);
}
impl Actor for Car {
    fn tick(&mut self) { self.km += 1; }
}

fn main() {}
