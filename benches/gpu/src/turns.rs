//! Objects of a loop that ends by itself.

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Item {
    pub value: u32,
}

/// The loop: one object.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Turns {
    pub ended: u32,
    pub goes_on: bool,
}

#[soa_methods]
impl Item {
    /// One of them needs `most` iterations.
    #[kernel]
    pub fn fill(&mut self, most: u32, which: Ref<Item>) {
        self.value = if self.link() == which.link() { most } else { 1 };
    }
    #[kernel]
    pub fn touch(&mut self) {
        if self.value == 0 {
            self.value = 1;
        }
    }
    #[kernel(reduce(Any))]
    pub fn look(&self, turns: Ref<Turns>) -> bool {
        self.value > turns.ended() + 1
    }
}

#[soa_methods]
impl Turns {
    #[kernel]
    pub fn end(&mut self) {
        self.ended += 1;
    }
}

#[soa_world]
pub struct Round {
    pub items: Objects<Item>,
    pub turns: Objects<Turns>,
}
