//! Classes that other packages' worlds hold.

use ikra::prelude::*;

/// A gear, which turns with the one that it meshes with.
#[soa_class]
pub struct Gear {
    /// How far it has turned.
    pub angle: u32,
    /// Another.
    pub next: Link<Gear>,
}

#[soa_methods]
impl Gear {
    /// Turns as the other did before.
    #[kernel(snapshot(angle))]
    pub fn mesh(&mut self) {
        self.angle = self.angle.wrapping_mul(3).wrapping_add(self.next.angle());
    }
}

/// A class of which few worlds have objects.
#[soa_class]
pub struct Spring {
    /// How tight it is.
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
