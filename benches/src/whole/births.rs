//! Objects that move, die or have a child, each with a probability of 0.05: births and deaths, and little else.
//!
//! The twin is a `Vec` of structs, with `retain_mut` and `append`: one pass. Ikra's objects keep their ids, or, in
//! [`Compacting`], their order.

use ikra::prelude::*;

use super::{Model, mix, random, uniform};

/// Of 2³² draws, those with which an object dies. As many others let it have a child.
const CHANCE: u32 = 214_748_365;

/// The time of a step.
const DT: f32 = 0.01;

/// The next draw, of which the upper bits count.
fn next(seed: u32) -> u32 {
    seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223)
}

/// The first draw of a child of an object with this one.
fn of_child(seed: u32) -> u32 {
    (seed ^ (seed >> 15)).wrapping_mul(0x2c1b_3c6d) ^ 0x9e37_79b9
}

macro_rules! model {
    ($model:ident, $name:literal, $world:ident, $class:ident, ($($options:tt)*), $digest:ident) => {
        /// An object of seven columns.
        #[soa_class($($options)*)]
        pub struct $class {
            /// Where it is.
            pub x: f32,
            /// Where it is.
            pub y: f32,
            /// Where it is.
            pub z: f32,
            /// How fast it moves.
            pub u: f32,
            /// How fast it moves.
            pub v: f32,
            /// How fast it moves.
            pub w: f32,
            /// Its last draw.
            pub seed: u32,
        }

        #[soa_methods]
        impl $class {
            /// Moves; then dies, or has a child that moves the other way, or neither.
            #[kernel]
            pub fn live(&mut self, young: Spawn<$class>) {
                self.x += self.u * DT;
                self.y += self.v * DT;
                self.z += self.w * DT;
                self.seed = next(self.seed);
                if self.seed < CHANCE {
                    self.remove();
                } else if self.seed < 2 * CHANCE {
                    let seed = of_child(self.seed);
                    young.push($class { x: self.x, y: self.y, z: self.z, u: -self.u, v: -self.v, w: -self.w, seed });
                }
            }
        }

        /// The world.
        #[soa_world]
        pub struct $world {
            /// Those alive.
            pub alive: Objects<$class>,
        }

        /// The model.
        pub struct $model;

        impl Model for $model {
            const NAME: &str = $name;
            type World = $world;
            type Twin = Vec<Twin>;

            fn make(scale: usize) -> ($world, Vec<Twin>) {
                let twin: Vec<_> = (0..10_000 * scale).map(Twin::new).collect();
                let mut world = $world::new();
                let row = |&Twin { x, y, z, u, v, w, seed }: &Twin| $class { x, y, z, u, v, w, seed };
                world.alive.extend(twin.iter().map(row)).expect("memory");
                (world, twin)
            }

            fn step(world: &mut $world, _: u32) {
                world.execute($class::live, ());
            }

            fn twin_step(twin: &mut Vec<Twin>, _: u32) {
                let mut young = Vec::new();
                twin.retain_mut(|object| object.live(&mut young));
                twin.append(&mut young);
            }

            fn digest(world: &$world) -> u64 {
                $digest(world.alive.iter().map(|row| digest(row.x, row.w, row.seed)))
            }

            fn twin_digest(twin: &Vec<Twin>) -> u64 {
                $digest(twin.iter().map(|row| digest(row.x, row.w, row.seed)))
            }
        }
    };
}

model!(Births, "births", Crowd, Being, (), sum);
model!(Compacting, "births-compacting", Queue, Waiting, (compact = 1.0), mix);

/// The same object in plain Rust.
#[derive(Clone, Copy)]
pub struct Twin {
    x: f32,
    y: f32,
    z: f32,
    u: f32,
    v: f32,
    w: f32,
    seed: u32,
}

impl Twin {
    fn new(n: usize) -> Self {
        let at = |k: usize| uniform(7 * n + k);
        Self { x: at(0), y: at(1), z: at(2), u: at(3) - 0.5, v: at(4) - 0.5, w: at(5) - 0.5, seed: random(7 * n + 6) }
    }

    /// Returns whether it lives on.
    fn live(&mut self, young: &mut Vec<Self>) -> bool {
        self.x += self.u * DT;
        self.y += self.v * DT;
        self.z += self.w * DT;
        self.seed = next(self.seed);
        if self.seed < CHANCE {
            return false;
        }
        if self.seed < 2 * CHANCE {
            young.push(Self { u: -self.u, v: -self.v, w: -self.w, seed: of_child(self.seed), ..*self });
        }
        true
    }
}

fn digest(x: f32, w: f32, seed: u32) -> u64 {
    mix([u64::from(x.to_bits()), u64::from(w.to_bits()), u64::from(seed)])
}

/// A number that does not depend on the order.
fn sum(numbers: impl Iterator<Item = u64>) -> u64 {
    numbers.fold(0, u64::wrapping_add)
}
