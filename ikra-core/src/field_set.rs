//! Sets of the fields of a class.

/// A set of a class's fields, by position: the fields that a kernel writes, for example; see [`Effects`](crate::effects::Effects).
///
/// ```
/// use ikra::{FieldSet, prelude::*};
/// # #[soa_class] pub struct Body { pub pos: f32, pub vel: f32 }
/// # #[soa_methods]
/// # impl Body { #[kernel] pub fn advance(&mut self, dt: f32) { self.pos += self.vel * dt; } }
/// let writes: FieldSet = ikra::effects(Body::advance).writes();
/// assert!(writes.contains(0) && !writes.contains(1)); // `pos` is the first field
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FieldSet(u64);

impl FieldSet {
    /// No field.
    pub const EMPTY: Self = Self(0);
    /// Every field.
    pub const ALL: Self = Self(u64::MAX);

    /// The set of the fields whose bits are set, bit 0 for the first field.
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// Whether the field is in the set.
    #[inline(always)]
    pub const fn contains(self, field: usize) -> bool {
        field < 64 && self.0 >> field & 1 == 1
    }

    /// Its bits.
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Whether it is [`ALL`](Self::ALL).
    pub const fn is_all(self) -> bool {
        self.0 == u64::MAX
    }

    /// Whether the set is empty.
    #[inline(always)]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The fields of either set.
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// The fields of both sets.
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The fields of this set that are not in the other.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}
