// Numbers among the classes of a trait.
use ikra::prelude::*;

#[soa_class]
pub struct Car { pub km: u32 }

#[soa_dispatch(u32)]
pub trait NoClass {
    #[kernel]
    fn tick(&mut self);
    fn speed(&self) -> u32;
}

#[soa_dispatch(Car, f32)]
pub trait OneClass {
    #[kernel]
    fn drive(&mut self);
}
#[soa_methods]
impl OneClass for Car {
    fn drive(&mut self) { self.km += 1; }
}

#[soa_world]
pub struct Town { pub cars: Objects<Car> }

fn main() {
    Town::new().execute(OneClass::drive, ());
}
