use ikra::prelude::*;

#[soa_class]
pub struct Car {
    pub km: u32,
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn make(id: u32, km: Of<u32>) -> Self {
        Self { km: id + *km }
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}

fn main() {}
