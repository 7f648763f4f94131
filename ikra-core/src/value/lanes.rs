//! Blocks of values for the `pairs` executor, whose SIMD lanes are different objects.

use super::Value;
use super::array::made;

/// The number of objects that the `pairs` executor holds at once.
pub const LANES: usize = 16;

/// Storage for [`LANES`] values of `T`.
pub trait Lanes<T>: Copy {
    /// One value in all lanes.
    fn splat(value: T) -> Self;
    /// The value in a lane.
    fn get(&self, lane: usize) -> T;
    /// Replaces the value in a lane.
    fn set(&mut self, lane: usize, value: T);
}

/// Lanes of a value that is stored whole.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub struct LaneArray<T>([T; LANES]);

impl<T: Copy> Lanes<T> for LaneArray<T> {
    #[inline(always)]
    fn splat(value: T) -> Self {
        Self([value; LANES])
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> T {
        self.0[lane]
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, value: T) {
        self.0[lane] = value;
    }
}

/// Lanes of an array: one block of lanes per element, so that each element is a vector register.
impl<T: Value, L: Lanes<T>, const N: usize> Lanes<[T; N]> for [L; N] {
    #[inline(always)]
    fn splat(value: [T; N]) -> Self {
        value.map(L::splat)
    }
    #[inline(always)]
    fn get(&self, lane: usize) -> [T; N] {
        made(|n| self[n].get(lane))
    }
    #[inline(always)]
    fn set(&mut self, lane: usize, value: [T; N]) {
        for n in 0..N {
            self[n].set(lane, value[n]);
        }
    }
}
