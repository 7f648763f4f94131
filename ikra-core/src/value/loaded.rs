//! What a kernel loads of a field.

use crate::value::{LaneArray, Lanes, Value};

/// What a kernel loads of a field before a call and stores after it: the value, or where it is.
pub trait Loaded: Copy + Send + Sync + 'static {
    /// Storage for several, whose SIMD lanes are different objects.
    type Lanes: Lanes<Self>;
    /// For fields that a kernel does not name.
    const PLACEHOLDER: Self;
    /// Whether both are the same, bit for bit.
    fn same(&self, other: &Self) -> bool;
}

impl<T: Value> Loaded for T {
    type Lanes = <T as Value>::Lanes;
    const PLACEHOLDER: Self = <T as Value>::PLACEHOLDER;
    #[inline(always)]
    fn same(&self, other: &Self) -> bool {
        Value::same(self, other)
    }
}

/// Nothing, of what is no field.
impl Loaded for () {
    type Lanes = LaneArray<()>;
    const PLACEHOLDER: Self = ();
    #[inline(always)]
    fn same(&self, (): &Self) -> bool {
        true
    }
}
