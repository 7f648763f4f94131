//! The effects of kernels for pairs.

use super::{Effects, FieldSet};

impl Effects {
    /// Whether it runs for every pair of two different objects: several times for each object, or never.
    pub const fn is_for_pairs(&self) -> bool {
        self.is_for_pairs
    }

    /// Fields of its own object to which a call for a pair adds at most one number each, and which it does not read: sums
    /// over the other objects. Empty for other kernels.
    pub const fn sums(&self) -> FieldSet {
        self.sums
    }

    /// Whether all that it changes are [sums](Self::sums), and it uses no atomic field. A GPU can then call it by several threads
    /// for one object, if the sums are floating-point numbers of one type.
    /// ```
    /// use ikra::{effects, prelude::*};
    /// #[soa_class]
    /// pub struct Body { pub x: f32, pub pull: f32, pub nearest: f32 }
    /// #[soa_methods]
    /// impl Body {
    ///     #[kernel(pairs)]
    ///     pub fn attract(&mut self, other: Ref<Body>) { self.pull += other.x() - self.x; }
    ///     #[kernel(pairs)]
    ///     pub fn look(&mut self, other: Ref<Body>) { self.nearest = self.nearest.min((other.x() - self.x).abs()); }
    /// }
    /// assert!(effects(Body::attract).sums().has(body::pull) && effects(Body::attract).only_adds());
    /// assert!(!effects(Body::look).only_adds());
    /// ```
    pub const fn only_adds(&self) -> bool {
        self.is_for_pairs
            && self.is_exclusive
            && self.sums.bits() == self.writes.bits()
            && self.snapshot.is_empty()
            && self.atomics.entries().is_empty()
            && !self.changes_objects()
    }

    /// These effects, for a kernel that runs for pairs. `sums` has the bits of the fields that are sums over the others.
    #[must_use]
    pub const fn for_pairs(self, sums: u64) -> Self {
        Self { is_for_pairs: true, sums: FieldSet::from_bits(sums), ..self }
    }
}
