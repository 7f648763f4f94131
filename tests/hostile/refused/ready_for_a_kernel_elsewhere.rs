// Must be refused.
//! The world of some objects was dropped. Another world's hidden members prepare them for a kernel with the tables of
//! their old world.

use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub x: u32,
}
#[soa_class]
pub struct Car {
    pub at: Link<Cell>,
}
#[soa_world]
pub struct Road {
    pub cells: Objects<Cell>,
    pub cars: Objects<Car>,
}

fn road() -> Road {
    let mut road = Road::new();
    let at = road.cells.push(Cell { x: 1 }).unwrap();
    road.cars.push(Car { at }).unwrap();
    road
}

fn main() {
    let (mut old, mut new) = (road(), Road::new());
    assert_eq!(old.get(Link::<Car>::from_id(1).unwrap()).at().x(), 1);
    std::mem::swap(&mut old.cars, &mut new.cars);
    drop(old);
    for member in new.members().as_ref() {
        #[cfg(feature = "attack")]
        let _ = member.prepare();
        let _ = member.name();
    }
}
