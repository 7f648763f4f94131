//! The types that a kernel loads for a field.

use crate::value::{Float, LaneArray, Lanes, Value};

/// A kernel loads this for a field before a call, and stores it after: the value, or its position.
pub trait Loaded: Copy + Send + Sync + 'static {
    /// Storage for several values, whose SIMD lanes are different objects.
    type Lanes: Lanes<Self>;
    /// For fields that a kernel does not name.
    const PLACEHOLDER: Self;
    /// Whether both values are equal, bit for bit.
    fn same(&self, other: &Self) -> bool;
    /// Shows its floating-point numbers, one by one, if it consists of these.
    #[inline]
    fn show_floats(&mut self, show: &mut impl FnMut(Float<'_>)) {
        show(Float::Other);
    }
}

impl<T: Value> Loaded for T {
    type Lanes = <T as Value>::Lanes;
    const PLACEHOLDER: Self = <T as Value>::PLACEHOLDER;
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        Value::same(self, other)
    }
    #[inline]
    fn show_floats(&mut self, show: &mut impl FnMut(Float<'_>)) {
        Value::show_floats(self, show);
    }
}

/// Nothing, for a filler that is not a field.
impl Loaded for () {
    type Lanes = LaneArray<()>;
    const PLACEHOLDER: Self = ();
    #[inline(always)]
    fn same(&self, (): &Self) -> bool {
        true
    }
}
