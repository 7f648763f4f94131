//! Objects that are chosen, sorted and grouped by what kernels return for them.

use ikra::Grid;
use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    pub key: u32,
    pub wide: u64,
    pub small: i16,
    pub pos: [f32; 2],
    pub flag: bool,
    pub next: Option<Link<Card>>,
    pub drawer: Link<Drawer>,
    pub crowd: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Drawer {
    pub top: Option<Link<Card>>,
    pub weight: f64,
}

/// A class with links in structs: its world's objects are sorted by the host.
#[derive(Clone, Copy, Debug, PartialEq, Value)]
#[repr(C)]
pub struct Held {
    pub card: Option<Link<Plain>>,
    pub since: u32,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Plain {
    pub key: u32,
    pub held: Held,
}

/// A number that depends on the object and a seed.
fn hash(id: u32, seed: u32) -> u32 {
    let mixed = (id.wrapping_mul(0x9e37_79b9) ^ seed).wrapping_mul(0x85eb_ca6b);
    (mixed ^ mixed >> 15).wrapping_mul(0xc2b2_ae35) >> 8
}

#[soa_methods]
impl Card {
    #[kernel]
    pub fn rank(&self) -> u32 {
        self.key
    }
    #[kernel]
    pub fn rank_wide(&self) -> u64 {
        self.wide
    }
    #[kernel]
    pub fn rank_small(&self) -> i16 {
        self.small
    }
    /// A key that no device sorts by.
    #[kernel]
    pub fn rank_pair(&self) -> [u8; 2] {
        [self.small as u8, self.key as u8]
    }
    #[kernel]
    pub fn low(&self, modulo: u32) -> u32 {
        self.key % modulo
    }
    #[kernel]
    pub fn all_equal(&self) -> u32 {
        7
    }
    #[kernel]
    pub fn is_chosen(&self, seed: u32, of_thousand: u32) -> bool {
        hash(self.link().id(), seed) % 1000 < of_thousand
    }
    #[kernel]
    pub fn several(&self) -> (u8, f64, (u16, bool)) {
        (self.small as u8, f64::from(self.key) * 0.5, (self.small as u16, self.flag))
    }
    #[kernel]
    pub fn following(&self) -> Option<Link<Card>> {
        self.next.map(|next| next.link())
    }
    /// Its result stays on the host.
    #[kernel]
    pub fn name(&self) -> &'static str {
        if self.flag { "up" } else { "down" }
    }
    /// Changes the object, and returns the value from before.
    #[kernel]
    pub fn turn(&mut self, by: u32) -> u32 {
        let before = self.key;
        self.key = self.key.wrapping_add(by);
        before
    }
    #[kernel(snapshot(key))]
    pub fn pass(&mut self) -> u32 {
        if let Some(next) = self.next {
            self.key = next.key();
        }
        self.key
    }
    /// Follows links, and changes a column.
    #[kernel]
    pub fn look_up(&mut self) {
        self.crowd = self.crowd.wrapping_add(self.drawer.weight() as u32);
        if let Some(next) = self.next {
            self.crowd ^= next.key();
        }
    }
    #[kernel]
    pub fn fold(&mut self, seed: u32, of_thousand: u32) {
        if hash(self.link().id(), seed) % 1000 < of_thousand {
            self.remove();
        }
    }
    #[kernel]
    pub fn place(&self) -> [f32; 2] {
        self.pos
    }
    #[kernel]
    pub fn look(&mut self, near: Groups<Card, Grid<2>>) {
        self.crowd = 0;
        for other in near.around(self.pos) {
            self.crowd = self.crowd.wrapping_mul(31).wrapping_add(other.key());
        }
    }
    /// Looks at 1,000 cards of its group at most: all cards may be in one group.
    #[kernel]
    pub fn count(&mut self, groups: Groups<Card>) {
        self.crowd = 0;
        for other in groups.of(self.key % groups.groups()).take(1000) {
            self.crowd = self.crowd.wrapping_mul(31).wrapping_add(other.link().id());
        }
    }
    #[kernel]
    pub fn seen(&self, groups: Groups<Card>) -> u32 {
        groups.of(self.key % groups.groups()).len() as u32
    }
}

#[soa_methods]
impl Plain {
    #[kernel]
    pub fn rank(&self) -> u32 {
        self.key
    }
    #[kernel]
    pub fn is_odd(&self) -> bool {
        self.key % 2 == 1
    }
}

/// What cards and drawers have in common.
#[soa_dispatch(Card, Drawer)]
pub trait Weighed {
    #[kernel]
    fn weigh(&self, unit: f64) -> f64;
}

#[soa_methods]
impl Weighed for Card {
    fn weigh(&self, unit: f64) -> f64 {
        f64::from(self.small) * unit
    }
}

#[soa_methods]
impl Weighed for Drawer {
    fn weigh(&self, unit: f64) -> f64 {
        self.weight * unit
    }
}

#[soa_world]
pub struct Desk {
    pub drawers: Objects<Drawer>,
    pub cards: Objects<Card>,
}

#[soa_world]
pub struct Shelf {
    pub plain: Objects<Plain>,
}
