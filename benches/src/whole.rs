//! Whole models as a user writes them after the README and the guide, each beside a twin in plain Rust with the same
//! passes and the same results.

pub mod births;
pub mod boids;
pub mod coli;
pub mod economy;
pub mod pagerank;
pub mod rabbits;
pub mod springs;

/// A model and its twin.
pub trait Model {
    /// Its name.
    const NAME: &str;
    /// Ikra's world.
    type World: Send;
    /// The twin's data.
    type Twin: Send;
    /// Both in their first state; larger for a larger `scale`, of 100 in a full run.
    fn make(scale: usize) -> (Self::World, Self::Twin);
    /// A step by Ikra.
    fn step(world: &mut Self::World, step: u32);
    /// The same step by the twin.
    fn twin_step(twin: &mut Self::Twin, step: u32);
    /// Numbers that differ if anything else does.
    fn digest(world: &Self::World) -> u64;
    /// The twin's numbers.
    fn twin_digest(twin: &Self::Twin) -> u64;
}

/// Mixes numbers in their order.
fn mix(numbers: impl IntoIterator<Item = u64>) -> u64 {
    numbers
        .into_iter()
        .fold(0xcbf2_9ce4_8422_2325, |sum, number| (sum ^ number).wrapping_mul(0x0100_0000_01b3).rotate_left(23))
}

/// A number without pattern: SplitMix64.
fn random(n: usize) -> u32 {
    let mut bits = (n as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 32) as u32
}

/// A number from 0 to 1 without pattern.
fn uniform(n: usize) -> f32 {
    (random(n) >> 8) as f32 / (1 << 24) as f32
}
