//! Atomic fields used as if they were values.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub seen: u32,
    #[atomic]
    pub hits: u32,
    #[atomic]
    pub best: Option<Link<Cell>>,
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn read(&mut self) {
        self.seen = self.hits;
        self.seen += self.hits;
        if self.seen == self.hits {
            self.seen = self.hits.max(3);
        }
    }
    #[kernel]
    pub fn take_apart(&mut self) {
        if let Some(best) = self.best {
            self.seen = 1;
        }
        match self.hits {
            3 => self.seen = 2,
            _ => {}
        }
        if self.best.is_none() {
            self.seen = 3;
        }
    }
    // Right: what the macro must leave alone.
    #[kernel]
    pub fn right(&mut self) {
        let hits = self.hits;
        match self.hits.load() {
            3 => self.seen = hits.load().max(3),
            _ => self.seen += self.hits.load(),
        }
    }
}

fn main() {}
