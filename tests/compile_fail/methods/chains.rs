use ikra::{Place, prelude::*};

#[soa_class]
pub struct Car {
    pub km: u32,
    #[atomic]
    pub seen: u32,
}

#[soa_class]
pub struct Bike {
    pub km: u32,
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn is_old(&self) -> bool {
        self.km > 100
    }
    #[kernel]
    pub fn driven(&self) -> u32 {
        self.km
    }
}

#[soa_methods]
impl Bike {
    #[kernel]
    pub fn driven(&self) -> u32 {
        self.km
    }
    #[kernel]
    pub fn apply(&mut self, km: Of<u32>) {
        self.km += *km;
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
    pub bikes: Objects<Bike>,
}

fn main() {
    let mut town = Town::new();
    // Old cars are no bikes.
    let _ = town.select(Car::is_old, ()).map(Bike::driven, ()).collect();
    // Kilometres are no truth.
    let _ = town.select(Car::driven, ());
    // The kernel names no reducer, which it must at every place.
    let _ = town.on(Place::Host).map(Car::driven, ()).reduce(Sum);
    // There is no device code for a closure.
    let _ = town.on(Place::Host).map(Car::driven, ()).map(|km: u32| km + 1).collect();
    // A column of another class.
    let column = town.map(Car::driven, ()).column();
    town.execute(Bike::apply, &column);
    // Not the column itself, and of other numbers.
    town.execute(Bike::apply, town.map(Bike::driven, ()).column());
    town.execute(Bike::apply, &town.map(Bike::driven, ()).map(f64::from).column());
}
