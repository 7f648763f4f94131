//! Random numbers by counting: equal on host and device, in any order of the objects' draws.
//!
//! A generator like `rand`'s has a state that every draw changes. Objects would each have to store one, or draw one
//! after another. Here a number is a function of the seed, object, step, and the object's previous draws in this step:
//! Philox 4×32-10 (Salmon, Moraes, Dror & Shaw, SC'11).
//!
//! ```
//! use ikra::rng::Random;
//! let mut random = Random::new(42, 7, 100);          // seed, object, step
//! let x: f32 = random.uniform_f32();
//! assert!((0.0..1.0).contains(&x));
//! assert_eq!(x, Random::new(42, 7, 100).uniform_f32());
//! assert_ne!(x, Random::new(42, 8, 100).uniform_f32());
//! ```

use crate::math;
use crate::target::arithmetic::wide;

/// The random numbers of one object in one step.
///
/// ```
/// use ikra::prelude::*;
/// use ikra::rng::Random;
///
/// #[soa_class]
/// pub struct Particle { pub pos: f32 }
/// #[soa_methods]
/// impl Particle {
///     #[kernel]
///     pub fn diffuse(&mut self, seed: u64, step: u32) {
///         let mut random = Random::new(seed, self.link().id(), step);
///         if random.chance(0.5) { self.pos += 0.1 * random.normal_f32(); }
///     }
/// }
/// # #[soa_world] pub struct Gas { pub particles: Objects<Particle> }
/// # fn main() -> Result<(), ikra::Error> {
/// # let mut gas = Gas::new();
/// gas.particles.extend((0..100).map(|_| Particle { pos: 0.0 }))?;
/// gas.execute(Particle::diffuse, (42, 0));
/// assert!(gas.particles.column(particle::pos).iter().any(|pos| *pos != 0.0));
/// # Ok(()) }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Random {
    key: [u32; 2],
    object: u32,
    step: u32,
    /// Blocks of four numbers drawn so far.
    blocks: u32,
    block: [u32; 4],
    /// The numbers of the block that are used up.
    used: u32,
}

impl Random {
    /// The numbers for a seed, an object (its id, or any number of its own) and a step.
    #[inline]
    #[must_use]
    pub const fn new(seed: u64, object: u32, step: u32) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], object, step, blocks: 0, block: [0; 4], used: 4 }
    }

    /// All 32 bits random.
    // Inlined always: then the compiler sees for which numbers a block is drawn, and keeps the block in registers.
    #[inline(always)]
    pub fn next_u32(&mut self) -> u32 {
        if self.used == 4 {
            self.block = philox([self.blocks, 0, self.object, self.step], self.key);
            self.blocks = self.blocks.wrapping_add(1);
            self.used = 0;
        }
        // By comparison, so that the block stays in registers.
        let number = match self.used {
            0 => self.block[0],
            1 => self.block[1],
            2 => self.block[2],
            _ => self.block[3],
        };
        self.used += 1;
        number
    }

    /// All 64 bits random.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let high = u64::from(self.next_u32());
        high << 32 | u64::from(self.next_u32())
    }

    /// From 0 up to, but not including, 1: a multiple of 2⁻²⁴.
    #[inline]
    pub fn uniform_f32(&mut self) -> f32 {
        (self.next_u32() >> 8) as f32 * (1.0 / 16_777_216.0)
    }

    /// From 0 up to, but not including, 1: a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform_f64(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 * (1.0 / 9_007_199_254_740_992.0)
    }

    /// From 0 up to, but not including, `end`. All numbers are equally likely, up to a deviation of `end` / 2³²; 0 if
    /// `end` is 0.
    #[inline]
    pub fn below(&mut self, end: u32) -> u32 {
        ((u64::from(self.next_u32()) * u64::from(end)) >> 32) as u32
    }

    /// True with this probability.
    #[inline]
    pub fn chance(&mut self, probability: f32) -> bool {
        self.uniform_f32() < probability
    }

    /// Normally distributed with mean 0 and standard deviation 1 (Box and Muller).
    #[inline]
    pub fn normal_f32(&mut self) -> f32 {
        let radius = math::sqrt(-2.0 * math::ln(1.0 - self.uniform_f32()));
        radius * math::cos(core::f32::consts::TAU * self.uniform_f32())
    }

    /// Normally distributed with mean 0 and standard deviation 1 (Box and Muller).
    #[inline]
    pub fn normal_f64(&mut self) -> f64 {
        let radius = math::sqrt(-2.0 * math::ln(1.0 - self.uniform_f64()));
        radius * math::cos(core::f64::consts::TAU * self.uniform_f64())
    }
}

/// Philox 4×32 with ten rounds: four random words for a counter and a key. [`Random`] is built on it.
///
/// ```
/// use ikra::rng::philox;
///
/// assert_eq!(philox([1, 2, 3, 4], [5, 6]), philox([1, 2, 3, 4], [5, 6]));
/// assert_ne!(philox([1, 2, 3, 4], [5, 6]), philox([1, 2, 3, 5], [5, 6]));
/// ```
#[inline]
#[must_use]
pub const fn philox(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    let mut round = 0;
    while round < 10 {
        let (a, b) = (wide(0xd251_1f53, counter[0]), wide(0xcd9e_8d57, counter[2]));
        counter = [b.0 ^ counter[1] ^ key[0], b.1, a.0 ^ counter[3] ^ key[1], a.1];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
        round += 1;
    }
    counter
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The vectors that the authors published.
    #[test]
    fn known_answers() {
        assert_eq!(philox([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox([u32::MAX; 4], [u32::MAX; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        let counter = [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344];
        let answer = [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1];
        assert_eq!(philox(counter, [0xa409_3822, 0x299f_31d0]), answer);
    }

    #[test]
    fn distributions_have_their_moments() {
        let n = 200_000;
        let (mut sum, mut squares, mut normal, mut normal_squares) = (0.0, 0.0, 0.0, 0.0);
        let mut counts = [0_u32; 10];
        for object in 0..n {
            let mut random = Random::new(1, object, 3);
            let x = random.uniform_f64();
            assert!((0.0..1.0).contains(&x) && (0.0..1.0).contains(&random.uniform_f32()));
            sum += x;
            squares += x * x;
            let z = random.normal_f64();
            normal += z;
            normal_squares += z * z;
            counts[random.below(10) as usize] += 1;
        }
        let n = f64::from(n);
        assert!((sum / n - 0.5).abs() < 0.003 && (squares / n - 1.0 / 3.0).abs() < 0.003);
        assert!((normal / n).abs() < 0.01 && (normal_squares / n - 1.0).abs() < 0.02);
        assert!(counts.iter().all(|&count| (f64::from(count) / n - 0.1).abs() < 0.004), "{counts:?}");
    }

    #[test]
    fn objects_steps_and_seeds_differ() {
        let draw = |seed, object, step| Random::new(seed, object, step).next_u64();
        let mut all: Vec<u64> = (0..50)
            .flat_map(|seed| (0..50).flat_map(move |object| (0..20).map(move |step| (seed, object, step))))
            .map(|(seed, object, step)| draw(seed, object, step))
            .collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 50 * 50 * 20);
        let mut random = Random::new(0, 0, 0);
        let sequence: Vec<u32> = (0..9).map(|_| random.next_u32()).collect();
        assert_eq!(sequence[..4], philox([0; 4], [0; 2]));
        assert_eq!(sequence[4..8], philox([1, 0, 0, 0], [0; 2]));
        assert!(!Random::new(0, 0, 0).chance(0.0) && Random::new(0, 0, 0).chance(1.0));
    }
}
