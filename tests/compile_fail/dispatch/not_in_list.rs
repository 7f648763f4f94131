// An implementation for a class that is not in the list.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }
#[soa_class]
pub struct Pedestrian { pub steps: u32 }

#[soa_dispatch(Car)]
pub trait Actor {
    fn pace(&self) -> u32;
}

#[soa_methods]
impl Actor for Car {
    fn pace(&self) -> u32 { self.km }
}
#[soa_methods]
impl Actor for Pedestrian {
    fn pace(&self) -> u32 { self.steps }
}

fn main() {}
