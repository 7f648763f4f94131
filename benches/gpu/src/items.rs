//! Objects that are chosen, sorted and grouped.

use ikra::prelude::*;

use super::inner_array::hash;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Item {
    pub key: u32,
    pub pos: [f32; 2],
    pub next: Option<Link<Item>>,
}

#[soa_methods]
impl Item {
    #[kernel]
    pub fn spawn(id: u32, count: u32) -> Self {
        let key = hash(id);
        Self { key, pos: [id as f32, 1.0], next: Link::from_id(hash(id ^ 1) % count + 1) }
    }
    #[kernel]
    pub fn is_odd(&self) -> bool {
        self.key % 2 == 1
    }
    #[kernel]
    pub fn cell(&self) -> u32 {
        self.key >> 16
    }
    #[kernel]
    pub fn rank(&self) -> u32 {
        self.key
    }
    #[kernel]
    pub fn draw(&mut self) {
        self.key = hash(self.key);
    }
}

#[soa_world]
pub struct Boxes {
    pub items: Objects<Item>,
}
