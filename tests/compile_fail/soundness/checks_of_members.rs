//! Members check links of tables that nobody has linked: by `unsafe` functions only.

use ikra::prelude::*;
use ikra::rt::AnyObjects;

#[soa_class]
pub struct Car {
    pub next: Option<Link<Car>>,
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}

fn main() {
    let town = Town::new();
    for objects in town.members().as_ref() {
        let _ = objects.check_links();
        let _ = objects.prepare();
    }
    let _ = AnyObjects::check_links(&town.cars);
}
