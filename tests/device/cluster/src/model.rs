//! A world with every kind of kernel: classes of several layouts, links of all kinds, atomics, births.

use ikra::prelude::*;

#[soa_class]
#[derive(Debug, PartialEq)]
pub struct Cell {
    pub heat: f32,
    pub flow: f32,
    pub seen: u32,
    pub left: Link<Cell>,
    pub right: Option<Link<Cell>>,
    pub far: Option<Link<Cell>>,
    pub room: Link<Room>,
    #[inline_array]
    pub around: [Link<Cell>; 3],
    #[atomic]
    pub visits: u32,
}

#[soa_class(layout = "tiles", tile = 64)]
#[derive(Debug, PartialEq)]
pub struct Room {
    pub warmth: f64,
    pub first: Option<Link<Cell>>,
    pub door: Option<Link<Room>>,
    #[atomic]
    pub cells: u32,
    pub tag: u8,
}

#[soa_class]
#[derive(Debug, PartialEq)]
pub struct Fly {
    pub at: Option<Link<Cell>>,
    pub energy: f32,
    pub steps: u16,
}

#[soa_class(layout = "aos")]
#[derive(Debug, PartialEq)]
pub struct Moth {
    pub at: Link<Cell>,
    pub energy: f32,
    #[inline_array(1)]
    pub bites: InnerArray<u32>,
}

/// Animals of several classes.
#[soa_dispatch(Fly, Moth)]
pub trait Animal {
    #[kernel]
    fn eat(&mut self, most: f32);
    #[kernel(reduce(Sum))]
    fn fuel(&self) -> f32;
}

#[soa_methods]
impl Animal for Fly {
    fn eat(&mut self, most: f32) {
        let warmth = self.at.map_or(0.0, |at| at.heat() + at.room().warmth() as f32);
        self.energy += ikra::math::min(warmth, most);
        self.steps += 1;
    }
    fn fuel(&self) -> f32 {
        self.energy
    }
}

#[soa_methods]
impl Animal for Moth {
    fn eat(&mut self, most: f32) {
        self.energy += ikra::math::min(self.at.heat(), most) * 0.5;
    }
    fn fuel(&self) -> f32 {
        self.energy + self.bites.len() as f32
    }
}

/// A function that the text of a kernel hides.
fn warmer(a: Ref<'_, Cell, impl Phase>, b: Ref<'_, Cell, impl Phase>) -> f32 {
    ikra::math::max(a.heat(), b.flow())
}

#[soa_methods]
impl Cell {
    #[kernel(snapshot(heat))]
    pub fn spread(&mut self) {
        let right = self.right.map_or(self.heat, |right| right.heat());
        self.heat = 0.5 * self.heat + 0.3 * self.left.heat() + 0.2 * right;
    }
    #[kernel]
    pub fn drift(&mut self, by: f32) {
        self.flow = self.left.left().heat() * by + self.room.warmth() as f32;
    }
    #[kernel]
    pub fn hear(&mut self) {
        self.seen += 100;
    }
    #[kernel]
    pub fn tell(&self, next: Worklist<Cell>) {
        for other in &self.around {
            if other.seen() < 100 || other.heat() > 1.0 {
                next.push(other.link());
            }
        }
    }
    #[kernel]
    pub fn drift_alone(&mut self) {
        self.flow += 0.5;
    }
    #[kernel]
    pub fn fail_from(&mut self, first: u32) {
        assert!(self.link().id() < first, "a failure that a test expects");
        self.flow += 0.5;
    }
    #[kernel]
    pub fn look_around(&mut self) {
        self.seen = self.around.iter().filter(|cell| cell.heat() > 1.0).count() as u32;
        self.seen += self.far.map_or(0, |far| far.around_seen());
    }
    pub fn around_seen(&self) -> u32 {
        self.around.iter().map(|cell| u32::from(cell.flow() > 0.5)).sum()
    }
    #[kernel]
    pub fn hidden(&mut self) {
        self.seen = (100.0 * warmer(self.left, self.around.get(1))) as u32;
    }
    /// Links that change.
    #[kernel(snapshot(far))]
    pub fn jump(&mut self) {
        self.far = match self.far {
            Some(far) => far.far(),
            None => Some(self.left),
        };
    }
    /// Links that change without a snapshot.
    #[kernel]
    pub fn turn(&mut self) {
        self.far = if self.seen.is_multiple_of(2) { self.right } else { Some(self.left) };
    }
    /// An atomic field of its own alone.
    #[kernel]
    pub fn count_own(&mut self) {
        self.visits.store(self.visits.load() + self.seen);
    }
    #[kernel]
    pub fn visit(&mut self) {
        self.room.cells().add(1);
        self.around.get(2).visits().max(self.seen);
    }
    #[kernel]
    pub fn visited(&mut self) {
        self.seen += self.visits.load() + self.around.get(0).visits().load();
    }
    #[kernel]
    pub fn mean(&mut self) {
        let total: f32 = self.all::<Cell>().take(50).map(|cell| cell.heat()).sum();
        self.flow = total / 50.0;
    }
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Room>) {
        self.flow += other.warmth() as f32 * 0.01;
    }
    #[kernel]
    pub fn compare(&mut self, with: Ref<Cell>) {
        self.seen += u32::from(with.heat() > self.heat);
    }
    #[kernel(reduce(Sum, Max))]
    pub fn warmth(&self) -> f32 {
        self.heat * self.left.flow()
    }
    #[kernel(heavy, reduce(Sum))]
    pub fn work(&self) -> f64 {
        f64::from(self.heat) + f64::from(self.flow)
    }
    #[kernel]
    pub fn label(&self) -> (u32, f32) {
        (self.seen, self.left.heat())
    }
    #[kernel]
    pub fn is_warm(&self) -> bool {
        self.heat > 1.0
    }
    #[kernel]
    pub fn key(&self) -> u32 {
        self.seen % 7
    }
    #[kernel]
    pub fn crowd(&mut self, near: Groups<Cell>) {
        self.flow = near.of(self.seen % 7).take(5).map(|cell| cell.heat()).sum();
    }
    #[kernel]
    pub fn breed(&mut self, young: Spawn<Fly>) {
        if self.seen % 5 == 1 {
            young.push(Fly { at: Some(self.link()), energy: self.heat, steps: 0 });
        }
    }
}

#[soa_methods]
impl Fly {
    #[kernel]
    pub fn follow(&mut self) {
        self.energy += self.at.map_or(0.0, |at| at.flow());
    }
    #[kernel]
    pub fn starve(&mut self, limit: f32) {
        self.energy -= 0.25;
        if self.energy < limit {
            self.remove();
        }
    }
}

#[soa_methods]
impl Moth {
    #[kernel]
    pub fn bite(&mut self) {
        for n in 0..self.bites.len() {
            self.bites[n] += self.at.seen();
        }
    }
}

#[soa_methods]
impl Room {
    #[kernel(snapshot(warmth))]
    pub fn heat(&mut self) {
        let first = self.first.map_or(0.0, |first| first.heat());
        self.warmth = 0.5 * self.door.map_or(1.0, |door| door.warmth()) + 0.1 * f64::from(first);
        self.tag = self.tag.wrapping_add(1);
    }
    #[kernel]
    pub fn counted(&mut self) {
        self.warmth += 0.01 * f64::from(self.cells.load());
    }
}

#[soa_world]
pub struct House {
    pub cells: Objects<Cell>,
    pub rooms: Objects<Room>,
    pub flies: Objects<Fly>,
    pub moths: Objects<Moth>,
}
