//! Links where methods see objects, and objects where they see links.
use ikra::prelude::*;

#[soa_class]
pub struct Cell {
    pub heat: f32,
    pub next: Link<Cell>,
    pub favourite: Option<Link<Cell>>,
    #[atomic]
    pub best: Option<Link<Cell>>,
    #[atomic]
    pub first: Link<Cell>,
    #[inline_array]
    pub near: [Link<Cell>; 4],
}

#[soa_methods]
impl Cell {
    #[kernel]
    pub fn assign(&mut self, other: Ref<Cell>) {
        self.favourite = self.best.load();
        self.favourite = other.best().load();
        self.favourite = Some(other.link());
        self.favourite = Some(self);
        self.favourite = Some(Link::from_index(0));
        self.next = self.first.load();
        if let Some(best) = self.best.load() {
            self.next = best;
        }
        let near = self.near[0];
        self.next = near;
    }
    #[kernel]
    pub fn assign_none(&mut self) {
        self.next = None;
    }
    #[kernel]
    pub fn compare(&mut self, other: Ref<Cell>, to: Link<Cell>) {
        if self.best.load() == Some(self.next) || self.favourite == Some(to) || self.best.load() != self.favourite {
            self.heat = 0.0;
        }
        if other == to || self.next == self {
            self.heat = 1.0;
        }
    }
    #[kernel]
    pub fn store(&mut self) {
        self.best.store(Some(self.next));
        self.best.store(self.favourite);
        self.first.store(self);
    }
    #[kernel]
    pub fn get(&mut self) {
        self.heat = self.next().heat();
    }
    #[kernel]
    pub fn follow(&mut self) {
        self.heat = self.first.load().heat();
        self.heat += self.best.load().map_or(0.0, |best| best.heat());
    }
    // Right: what the macro must leave alone.
    #[kernel]
    pub fn right(&mut self, other: Ref<Cell>, to: Link<Cell>) {
        let best = self.best.load().map(|best| self.resolve(best));
        if self.favourite == best || self.next.link() == to || self.best.load() == Some(to) || other == self.next {
            self.favourite = best;
            self.next = other;
        }
        let to = self.resolve(to);
        self.next = to;
    }
}

fn main() {}
