//! Classes that other packages' worlds hold.

use ikra::prelude::*;

/// A gear, which turns with the gear that it meshes with.
#[soa_class]
pub struct Gear {
    /// Its rotation so far.
    pub angle: u32,
    /// The gear that it meshes with.
    pub next: Link<Gear>,
}

#[soa_methods]
impl Gear {
    /// Turns by the other gear's previous angle.
    #[kernel(snapshot(angle))]
    pub fn mesh(&mut self) {
        self.angle = self.angle.wrapping_mul(3).wrapping_add(self.next.angle());
    }
}

/// A class that few worlds hold.
#[soa_class]
pub struct Spring {
    /// Its tension.
    pub tension: u32,
}

#[soa_methods]
impl Spring {
    /// Tightens it.
    #[kernel]
    pub fn wind(&mut self) {
        self.tension += 1;
    }
}
