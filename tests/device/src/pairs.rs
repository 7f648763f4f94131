//! Kernels for pairs that only add to fields, and some that do more.

use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug)]
pub struct Speck {
    pub pos: [f32; 3],
    pub mass: f32,
    pub acc: [f32; 3],
    pub pull: f64,
    pub light: [f64; 3],
    pub other: f64,
    pub sum: f32,
    pub many: [f64; 16],
    pub more: [f32; 17],
    pub met: u32,
}

#[soa_class]
#[derive(Clone, Debug)]
pub struct Lamp {
    pub at: f64,
    pub value: f32,
}

#[soa_methods]
impl Speck {
    /// Three sums, with other objects of its own class, in tile rows of 16 bytes.
    #[kernel(pairs)]
    pub fn attract(&mut self, other: Ref<Speck>, softening: f32) {
        let d: [f32; 3] = core::array::from_fn(|k| other.pos()[k] - self.pos[k]);
        let distance2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        if distance2 > 0.0 {
            let inverse = 1.0 / (distance2 + softening).sqrt();
            for k in 0..3 {
                self.acc[k] += other.mass() * inverse * inverse * inverse * d[k];
            }
        }
    }
    /// Four sums, each in its own way, with objects of another class.
    #[kernel(pairs)]
    pub fn shine(&mut self, lamp: Ref<Lamp>, key: Ref<Lamp>) {
        let d = lamp.at() - f64::from(self.pos[0]);
        if d < -20.0 {
            return;
        }
        self.pull -= d * key.at();
        if lamp.value() > 0.0 {
            self.light[2] += d * d;
            self.light[0] -= f64::from(lamp.value());
        }
        self.add(d);
    }
    fn add(&mut self, d: f64) {
        self.other += 1.0 / d;
    }
    /// One sum, of numbers that are no numbers, infinite, zeros of both signs, and very small.
    #[kernel(pairs)]
    pub fn gather(&mut self, lamp: Ref<Lamp>) {
        self.sum += lamp.value() * self.mass;
    }
    /// Reads nothing of the other object.
    #[kernel(pairs)]
    pub fn count(&mut self, _lamp: Ref<Lamp>, by: f32) {
        self.sum += by * self.mass;
    }
    /// As many sums as a block can have rows for.
    #[kernel(pairs)]
    pub fn spread(&mut self, lamp: Ref<Lamp>) {
        for k in 0..16 {
            self.many[k] += lamp.at() / (1.0 + k as f64);
        }
    }
    /// More than that.
    #[kernel(pairs)]
    pub fn scatter(&mut self, lamp: Ref<Lamp>) {
        for k in 0..17 {
            self.more[k] -= lamp.value() * k as f32;
        }
    }
    /// Sums of two types.
    #[kernel(pairs)]
    pub fn both(&mut self, lamp: Ref<Lamp>) {
        self.pull += lamp.at();
        self.sum += lamp.value();
    }
    /// The order of the calls matters.
    #[kernel(pairs)]
    pub fn compare(&mut self, lamp: Ref<Lamp>) {
        self.sum = 0.5 * self.sum + lamp.value();
        if lamp.value() > self.sum {
            self.met += 1;
        }
    }
}

#[soa_world]
pub struct Dust {
    pub specks: Objects<Speck>,
    pub lamps: Objects<Lamp>,
}
