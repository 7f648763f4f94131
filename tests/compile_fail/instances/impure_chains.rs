use ikra::prelude::*;

#[soa_class]
pub struct Car {
    pub km: u32,
    #[atomic]
    pub seen: u32,
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn drive(&mut self) -> bool {
        self.km += 1;
        self.km > 100
    }
    #[kernel]
    pub fn see(&self) -> u32 {
        self.seen.add(1);
        self.km
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}

fn main() {
    let mut town = Town::new();
    let _ = town.select(Car::drive, ()).selection();
    let _ = town.map(Car::see, ()).collect();
}
