//! What is timed.

use ikra::prelude::*;

#[path = "bfs.rs"]
pub mod bfs;
#[path = "cars.rs"]
pub mod cars;
#[path = "chunks.rs"]
pub mod chunks;
#[path = "inner_array.rs"]
pub mod inner_array;
#[path = "lives.rs"]
pub mod lives;
#[path = "items.rs"]
pub mod order;
#[path = "roads.rs"]
pub mod roads;
#[path = "tables.rs"]
pub mod tables;
#[path = "turns.rs"]
pub mod turns;

/// A body that moves on, under some layout, and what it takes to make `n` of them.
macro_rules! mover {
    ($class:ident, $world:ident, $float:ident, $options:tt) => {
        #[soa_class $options]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub pos_x: $float,
            pub pos_y: $float,
            pub vel_x: $float,
            pub vel_y: $float,
        }

        #[soa_methods]
        impl $class {
            #[kernel]
            pub fn advance(&mut self, dt: $float) {
                self.pos_x += self.vel_x * dt;
                self.pos_y += self.vel_y * dt;
            }
            #[kernel]
            pub fn advance_many(&mut self, steps: u32, dt: $float) {
                for _ in 0..steps {
                    self.advance(dt);
                }
            }
            #[kernel]
            pub fn spawn(id: u32) -> Self {
                let x = id as $float;
                Self { pos_x: x, pos_y: -x, vel_x: 1.0, vel_y: 0.5 }
            }
        }

        #[soa_world]
        pub struct $world {
            pub movers: Objects<$class>,
        }
    };
}
mover!(Mover64, Movers64, f64, ());
mover!(Mover32, Movers32, f32, ());
mover!(RowMover64, RowMovers64, f64, (layout = "aos"));
mover!(TileMover64, TileMovers64, f64, (layout = "tiles", tile = 128));

/// Bodies that attract each other.
macro_rules! particle {
    ($class:ident, $world:ident, $float:ident, {$($more:tt)*}) => {
        #[soa_class]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub pos: [$float; 3],
            pub acc: [$float; 3],
            pub mass: $float,
        }

        #[soa_methods]
        impl $class {
            fn pull(&mut self, pos: [$float; 3], mass: $float, inverse_root: impl Fn($float) -> $float) {
                let d = [pos[0] - self.pos[0], pos[1] - self.pos[1], pos[2] - self.pos[2]];
                let dist2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
                let inv = if dist2 > 0.0 { inverse_root(dist2 + 0.01) } else { 0.0 };
                let pull = mass * inv * inv * inv;
                for k in 0..3 {
                    self.acc[k] += pull * d[k];
                }
            }
            #[kernel(pairs)]
            pub fn attract(&mut self, other: Ref<$class>) {
                self.pull(other.pos(), other.mass(), |x| 1.0 / x.sqrt());
            }
            $($more)*
            #[kernel]
            pub fn attract_all(&mut self) {
                for other in self.all::<$class>() {
                    self.pull(other.pos(), other.mass(), |x| 1.0 / x.sqrt());
                }
            }
            #[kernel]
            pub fn spawn(id: u32) -> Self {
                let x =
                    |k: u32| (id.wrapping_mul(0x9e37_79b9).wrapping_add(k * 0x85eb_ca6b) >> 8) as $float / 16_777_216.0;
                Self { pos: [x(1), x(2), x(3)], acc: [0.0; 3], mass: 1.0 + x(4) }
            }
        }

        #[soa_world]
        pub struct $world {
            pub particles: Objects<$class>,
        }
    };
}
particle!(Particle32, Particles32, f32, {
    /// As `attract`, with the device's own inverse root.
    #[kernel(pairs)]
    pub fn attract_fast(&mut self, other: Ref<Particle32>) {
        self.pull(other.pos(), other.mass(), ikra::math::rsqrt_approx);
    }
});
particle!(Particle64, Particles64, f64, {});

/// A number to be added up.
macro_rules! number {
    ($class:ident, $world:ident, $float:ident) => {
        #[soa_class]
        #[derive(Clone, Debug)]
        pub struct $class {
            pub value: $float,
        }

        #[soa_methods]
        impl $class {
            #[kernel(reduce(Sum, Min))]
            pub fn get(&self) -> $float {
                self.value
            }
            #[kernel]
            pub fn nothing(&mut self) {}
            #[kernel]
            pub fn spawn(id: u32) -> Self {
                Self { value: (id % 1000) as $float }
            }
        }

        #[soa_world]
        pub struct $world {
            pub numbers: Objects<$class>,
        }
    };
}
number!(Number32, Numbers32, f32);
number!(Number64, Numbers64, f64);

/// An object that follows links.
#[soa_class]
#[derive(Clone, Debug)]
pub struct Node {
    /// The next one, in a random permutation.
    pub next: Link<Node>,
    /// What it carries.
    pub value: u32,
    /// What was found on the way.
    pub sum: u32,
}

#[soa_methods]
impl Node {
    /// Follows links and adds up what it finds.
    #[kernel]
    pub fn hop(&mut self, steps: u32) {
        let (mut at, mut total) = (self.next, 0_u32);
        for _ in 0..steps {
            total = total.wrapping_add(at.value());
            at = at.next();
        }
        self.sum = total;
    }
    /// One of `count`, a power of two.
    #[kernel]
    pub fn spawn(id: u32, count: u32, first: Link<Node>) -> Self {
        let next = id.wrapping_mul(2_654_435_761).wrapping_add(12_345) & (count - 1);
        Self { next: Link::from_id(next + 1).unwrap_or(first), value: id, sum: 0 }
    }
}

/// The world of nodes.
#[soa_world]
pub struct Nodes {
    /// All nodes.
    pub nodes: Objects<Node>,
}
