//! Kernels that assign on some paths only, and in forms that the macros do not see.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Item {
    pub kind: u8,
    pub energy: u32,
    pub seen: u32,
    pub pair: [f32; 2],
    pub next: Option<Link<Item>>,
}

#[soa_methods]
impl Item {
    /// Leaves most items unchanged.
    #[kernel]
    pub fn feed(&mut self, by: u32) {
        if self.kind == 1 {
            self.energy += by;
            self.seen = by;
            self.follow();
        }
    }

    fn follow(&mut self) {
        self.next = self.next.filter(|next| next.link() != self.link());
    }

    /// Assigns different fields on different paths.
    #[kernel]
    pub fn sort(&mut self, limit: u32) {
        match self.kind {
            0 => self.seen = limit,
            1 if self.energy > limit => self.kind = 2,
            1 => self.energy += 1,
            2 => {
                self.pair[1] = 0.5;
                if self.energy == limit {
                    return;
                }
                self.kind = 0;
            }
            _ => {}
        }
    }

    /// Overwrites a field without reading it.
    #[kernel]
    pub fn replace(&mut self, n: u32) {
        self.seen = n;
        self.pair = [n as f32, 0.25];
    }

    /// Assigns by a closure, a pattern, and a macro.
    #[kernel]
    pub fn hide(&mut self, by: u32) {
        let odd = self.kind % 2 == 1;
        let mut add = || self.energy += by;
        if odd {
            add();
        }
        let Self { seen, pair, .. } = self;
        if !odd {
            *seen ^= by;
            pair[0] = -pair[0];
        }
        macro_rules! set {
            ($place:expr) => {
                $place = 3
            };
        }
        if by.is_multiple_of(2) {
            set!(self.kind);
        }
    }

    /// A closure undoes the assignment, or changes it again.
    #[kernel]
    pub fn undo(&mut self, by: u32) {
        let before = self.energy;
        self.energy = 77;
        self.seen = before;
        let mut change = |back: bool| {
            self.energy = if back { before } else { by };
            self.seen += 1;
        };
        match self.kind {
            0 => change(true),
            1 => change(false),
            _ => {}
        }
    }
}

#[soa_world]
pub struct Shelf {
    pub items: Objects<Item>,
}
