//! The same program written for Ikra, `bevy_ecs`, `hecs` and slices: bodies that move, and followers that each look at
//! one body through a random link.

mod bevy;
mod hecs;
mod ikra;
mod pools;
mod slices;

pub use pools::Threads;

/// The time step.
const DT: f64 = 0.5;

/// One implementation of the program.
pub trait System {
    /// Its name in the results.
    fn name(&self) -> &'static str;

    /// Gives each body one follower that is linked to a random body.
    fn add_followers(&mut self);

    /// Moves each body: `position += velocity * dt`, in both dimensions.
    fn advance(&mut self, threads: Threads);

    /// Each follower copies the first coordinate of its body.
    fn follow(&mut self, threads: Threads);

    /// The number of bodies to the right of `x`, on one thread and without a query language: one object at a time.
    fn count_right_of(&mut self, x: f64) -> usize;

    /// The positions of all bodies, in the order of their creation.
    fn positions(&mut self) -> Vec<[f64; 2]>;

    /// What the followers saw, in the order of their creation.
    fn seen(&mut self) -> Vec<f64>;
}

/// Makes a system with a number of bodies.
pub type Create = fn(usize) -> Box<dyn System>;

/// All systems; the first is the reference.
pub const SYSTEMS: [Create; 5] = [
    |n| Box::new(slices::Slices::new(n)),
    |n| Box::new(ikra::Ikra::new(n)),
    |n| Box::new(bevy::Bevy::new(n, bevy::Iteration::Objects)),
    |n| Box::new(bevy::Bevy::new(n, bevy::Iteration::Slices)),
    |n| Box::new(hecs::Hecs::new(n)),
];

/// The position of the `n`-th body at the start.
fn position(n: usize) -> [f64; 2] {
    [n as f64, -(n as f64)]
}

/// The velocity of the `n`-th body.
fn velocity(n: usize) -> [f64; 2] {
    [0.5 * n as f64, 0.25 * n as f64]
}

/// Which of `bodies` the `n`-th follower looks at (SplitMix64).
fn friend(n: usize, bodies: usize) -> usize {
    let mut z = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) % bodies as u64) as usize
}
