// The object as a whole, in a method.
use ikra::prelude::*;

#[soa_class]
#[derive(Clone)]
pub struct Car { pub km: u32, pub speed: u32 }

#[soa_methods]
impl Car {
    #[kernel]
    pub fn tick(&mut self) {
        let before = self.clone();
        self.km = before.km + 1;
    }
    pub fn pace(&self) -> u32 {
        let car = *self;
        car.speed
    }
}

fn main() {}
