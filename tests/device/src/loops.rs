//! Loops over arrays of fixed length, and atomic fields that a kernel uses only in its own object.
#![allow(missing_docs, reason = "a test, not a library")]

use ikra::Fixed;
use ikra::prelude::*;

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Knot {
    pub tension: f64,
    #[inline_array]
    pub around: [Link<Knot>; 3],
    #[inline_array]
    pub far: [Link<Knot>; 12],
    #[inline_array]
    pub weights: [f64; 3],
}

#[soa_methods]
impl Knot {
    #[kernel(snapshot(tension))]
    pub fn pull(&mut self) {
        let mut sum = 0.0;
        for knot in &self.around {
            sum = sum * 0.5 + knot.tension();
        }
        self.tension = sum;
    }

    #[kernel(snapshot(tension))]
    pub fn weigh(&mut self) {
        let mut sum = 0.0;
        for (n, knot) in self.around.iter().enumerate() {
            sum += self.weights[n] * knot.tension();
        }
        self.tension = sum;
    }

    #[kernel(snapshot(tension))]
    pub fn unwind(&mut self) {
        let mut sum = 0.0;
        for (n, knot) in self.around.iter().enumerate().rev() {
            sum = sum * 0.25 + knot.tension() * n as f64;
        }
        for knot in self.around.iter().rev() {
            sum = sum * 0.5 + knot.tension();
        }
        self.tension = sum;
    }

    #[kernel(snapshot(tension))]
    pub fn pull_far(&mut self) {
        let mut sum = 0.0;
        for knot in &self.far {
            sum = sum * 0.5 + knot.tension();
        }
        self.tension = sum;
    }

    /// Follows first neighbours for a given number of steps.
    #[kernel(snapshot(tension))]
    pub fn follow(&mut self, steps: u32) {
        let (mut at, mut sum) = (self.around.get(0), 0.0);
        for _ in 0..steps {
            sum = sum * 0.5 + at.tension();
            at = at.around().get(0);
        }
        self.tension = sum;
    }

    /// Follows second neighbours, at most eight times, and adds up the taut ones in reverse order.
    #[kernel(snapshot(tension))]
    pub fn keep(&mut self, steps: u32) {
        let (mut kept, mut count, mut at) = ([0.0; 8], 0, self.around.get(1));
        for _ in 0..steps {
            let tension = at.tension();
            if tension > 0.25 {
                kept[count] = tension;
                count += 1;
            }
            at = at.around().get(1);
        }
        let mut sum = 0.0;
        while count > 0 {
            count -= 1;
            sum = sum * 0.5 + kept[count];
        }
        self.tension = sum;
    }

    /// Loops over a neighbour's neighbours until one is slack, over a slice, and with manual steps.
    #[kernel(snapshot(tension))]
    pub fn wander(&mut self, first: u32) {
        let mut sum = 0.0;
        for knot in &self.around {
            for next in &knot.around() {
                if next.tension() < 0.25 {
                    break;
                }
                sum = sum * 0.5 + next.tension();
            }
        }
        for knot in self.far.range(first as usize..) {
            sum = sum * 0.75 + knot.tension();
        }
        let mut rest = self.far.iter();
        while let Some(knot) = rest.next() {
            sum += knot.tension() / rest.len().max(1) as f64;
            rest.next_back();
        }
        self.tension = sum;
    }
}

#[soa_class]
#[derive(Clone, Debug, PartialEq)]
pub struct Counter {
    #[atomic]
    pub count: u32,
    #[atomic]
    pub least: i64,
    #[atomic]
    pub sum: f32,
    #[atomic]
    pub is_set: bool,
    #[atomic]
    pub mass: Fixed<20>,
    #[atomic]
    pub first: Option<Link<Counter>>,
    pub before: u32,
}

#[soa_methods]
impl Counter {
    /// Uses only the atomic fields of its own object.
    #[kernel]
    pub fn tick(&mut self, by: u32) {
        self.before = self.count.swap(by);
        self.count.add(self.before);
        self.count.max(7);
        self.least.min(i64::from(self.before) - 5);
        self.least.sub(3);
        self.sum.add(0.1);
        if self.sum.load() > 0.5 {
            self.sum.store(0.0);
        }
        self.is_set.or(self.before.is_multiple_of(3));
        self.mass.add(Fixed::from(0.5));
        self.mass.max(Fixed::from(0.75));
        self.first.claim(self.link());
    }

    /// Moves a number to another field, and leaves zero.
    #[kernel]
    pub fn drain(&mut self) {
        self.count.store(self.count.load() + self.before);
        self.before = 0;
    }
}

#[soa_world]
pub struct Net {
    pub knots: Objects<Knot>,
    pub counters: Objects<Counter>,
}
