//! Sums of numbers in fixed point, which are the same in every order.

use ikra::{Fixed, prelude::*};

#[soa_class]
#[derive(Clone, Debug)]
pub struct Basin {
    #[atomic]
    pub mass: Fixed<40>,
    #[atomic]
    pub flow: Fixed<0>,
    pub level: Fixed<40>,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Drop {
    pub mass: f32,
    pub flow: f64,
    pub basin: Link<Basin>,
}

#[soa_methods]
impl Basin {
    #[kernel]
    pub fn settle(&mut self) {
        let mass = self.mass.load();
        self.level += mass - Fixed::from(f64::from(mass) * 0.25);
        self.level = -self.level;
    }
}

#[soa_methods]
impl Drop {
    #[kernel]
    pub fn fall(&mut self) {
        self.basin.mass().add(self.mass.into());
        self.basin.flow().sub(self.flow.into());
    }
}

#[soa_world]
pub struct Lake {
    pub basins: Objects<Basin>,
    pub drops: Objects<Drop>,
}
