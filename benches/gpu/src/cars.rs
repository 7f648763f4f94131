//! Cars of which a few, half or most are in a jam.

use ikra::prelude::*;

use super::inner_array::hash;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Car {
    pub speed: f32,
    pub time: f32,
    pub people: u32,
}

#[soa_methods]
impl Car {
    #[kernel]
    pub fn spawn(id: u32) -> Self {
        let share = |id: u32| (hash(id) >> 8) as f32 / (1 << 24) as f32;
        Self { speed: share(2 * id), time: share(2 * id + 1), people: hash(id) % 9 }
    }
    #[kernel]
    pub fn is_slow(&self, below: f32) -> bool {
        self.speed < below
    }
    #[kernel(reduce(Sum))]
    pub fn delay(&self) -> f32 {
        self.time - self.time * self.speed
    }
    #[kernel(reduce(Sum))]
    pub fn load(&self) -> u32 {
        self.people
    }
}

/// A block by itself: after a choice, a device runs its kernels for a list.
#[soa_methods]
impl Car {
    #[kernel(reduce(Sum))]
    pub fn delay_apart(&self) -> f32 {
        self.time - self.time * self.speed
    }
}

#[soa_world]
pub struct Town {
    pub cars: Objects<Car>,
}
