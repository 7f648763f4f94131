//! A class that links to a class of another package.

use gears::model::Gear;
use ikra::prelude::*;

/// A hand that a gear moves.
#[soa_class]
pub struct Hand {
    /// Its position.
    pub place: u32,
    /// The gear that moves it.
    pub gear: Link<Gear>,
}

#[soa_methods]
impl Hand {
    /// Moves as far as its gear has turned.
    #[kernel]
    pub fn follow(&mut self) {
        self.place = self.place.wrapping_add(self.gear.angle());
    }
}
