//! Classes with fields of each kind, and kernels for each executor.

use ikra::prelude::*;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Value)]
#[repr(u8)]
pub enum Kind {
    Three = 3,
    Four,
    Five,
}

#[soa_class]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Car {
    pub x: u32,
    pub old: u32,
    #[inline_array(1)]
    pub q: InnerArray<u32>,
    #[inline_array]
    pub slots: [u32; 2],
    #[atomic]
    pub hits: u32,
    pub next: Link<Car>,
    pub bad: u32,
}

/// Has no array of variable length, so several threads construct its objects.
#[soa_class]
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Bike {
    pub id: u32,
    pub kind: Kind,
    pub home: Link<Car>,
    pub other: Option<Link<Car>>,
    #[inline_array]
    pub ways: [Link<Car>; 2],
    #[atomic]
    pub rings: u32,
}

#[soa_dispatch(Car, Bike)]
pub trait Vehicle {
    #[kernel]
    fn ring(&mut self, by: u32);
    #[kernel(reduce(Sum))]
    fn rung(&mut self) -> u64;
}

#[soa_methods]
impl Vehicle for Car {
    fn ring(&mut self, by: u32) {
        self.hits.add(by);
    }
    fn rung(&mut self) -> u64 {
        self.x += 1;
        u64::from(self.hits.load())
    }
}

#[soa_methods]
impl Vehicle for Bike {
    fn ring(&mut self, by: u32) {
        self.rings.add(by);
    }
    fn rung(&mut self) -> u64 {
        self.id += 1;
        u64::from(self.rings.load())
    }
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn change(&mut self) {
        self.x += 1;
        self.slots[1] += self.x;
        self.q[0] ^= self.x;
        self.hits.add(1);
    }
    #[kernel(snapshot(old, slots, q))]
    pub fn shift(&mut self) {
        self.old = self.next.old().wrapping_mul(3) + 1;
        self.slots[0] = self.next.slots()[1];
        self.q[1] = self.next.q()[0];
    }
    #[kernel]
    pub fn hit_next(&mut self) {
        self.next.hits().add(self.x);
    }
    #[kernel(reduce(Sum, Max))]
    pub fn count(&mut self) -> u64 {
        self.x += 1;
        u64::from(self.x) << 20
    }
    #[kernel]
    pub fn label(&mut self) -> (u32, Box<u32>) {
        self.x += 1;
        (self.link().id(), Box::new(self.x))
    }
    #[kernel(pairs)]
    pub fn meet(&mut self, other: Ref<Bike>) {
        self.old = self.old.rotate_left(1) ^ other.id();
    }
    #[kernel(pairs, snapshot(old))]
    pub fn meet_own(&mut self, other: Ref<Car>) {
        self.old = self.old.rotate_left(1) ^ other.old();
    }
    #[kernel]
    pub fn is_even(&self) -> bool {
        self.x % 2 == 0
    }
    #[kernel(reduce(Sum))]
    pub fn number(&self) -> u32 {
        self.x
    }
    #[kernel(reduce(Sum))]
    pub fn number_of(&self, other: Ref<Car>) -> u32 {
        other.x()
    }
    #[kernel]
    pub fn make(index: u32, next: Link<Car>) -> Self {
        Self { x: index, old: index, q: [index, 2].into(), slots: [index; 2], hits: 0, next, bad: 0 }
    }
}

#[soa_methods]
impl Bike {
    #[kernel]
    pub fn has_rung(&self) -> bool {
        self.rings.load() > 0
    }
    #[kernel(reduce(Sum))]
    pub fn number(&self) -> u32 {
        self.id
    }
    #[kernel]
    pub fn make(index: u32, home: Link<Car>) -> Self {
        let kind = [Kind::Three, Kind::Four, Kind::Five][index as usize % 3];
        Self { id: index, kind, home, other: Some(home), ways: [home; 2], rings: index }
    }
    #[kernel]
    pub fn touch(&mut self) {
        self.id += 1;
    }
}

#[soa_world]
#[derive(Clone)]
pub struct Sim {
    pub cars: Objects<Car>,
    pub bikes: Objects<Bike>,
}

/// A world of cars that link to each other, and a few bikes.
pub fn sim(cars: usize, bikes: usize) -> Sim {
    let mut sim = Sim::new();
    let link = |n: usize| Link::from_index(n).unwrap();
    sim.cars
        .extend((0..cars).map(|n| Car {
            x: n as u32,
            old: n as u32 ^ 0x5555,
            q: [n as u32, 7].into(),
            slots: [1, n as u32],
            hits: 0,
            next: link(n * 7919 % cars),
            bad: 0,
        }))
        .unwrap();
    sim.bikes
        .extend((0..bikes).map(|n| Bike {
            id: n as u32,
            kind: Kind::Four,
            home: link(n % cars),
            other: None,
            ways: [link(0); 2],
            rings: 0,
        }))
        .unwrap();
    sim
}
