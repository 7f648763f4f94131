//! The fields that a method assigned.
//!
//! A thread that assigns nothing stores nothing, and loads only what it needs for that. The compiler sees that: on each way
//! through a kernel, a field of which every assignment is noted is what was loaded or noted last, and is not compared.

use crate::class::{Class, Field};
use crate::effects::FieldSet;
use crate::storage::{FieldTuple, Stored};

#[doc(hidden)]
pub struct Assigned<C: Class> {
    /// The fields, as a set.
    fields: u64,
    /// Whether there is one. By itself, since the compiler knows it where it does not know which.
    any: bool,
    /// What the fields are, unless they changed and that was not noted.
    values: <C::Fields as FieldTuple<C>>::Values,
}

impl<C: Class> Assigned<C> {
    #[inline(always)]
    pub(crate) fn new(values: <C::Fields as FieldTuple<C>>::Values) -> Self {
        Self { fields: 0, any: false, values }
    }

    #[inline(always)]
    pub(crate) fn insert<const K: usize>(&mut self, now: impl FnOnce() -> <<C as Field<K>>::Storage as Stored>::Value)
    where
        C: Field<K>,
    {
        self.insert_part::<K>();
        // SAFETY: by the contract of `Field`, it is the value of the `K`-th field.
        unsafe { <C::Fields as FieldTuple<C>>::put::<K, _>(&mut self.values, now()) };
    }

    #[inline(always)]
    pub(crate) fn insert_part<const K: usize>(&mut self) {
        self.fields |= const { 1 << K };
        self.any = true;
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    #[inline(always)]
    pub(crate) fn fields(&self) -> FieldSet {
        FieldSet::from_bits(self.fields)
    }

    #[inline(always)]
    pub(crate) fn values<'v>(
        &'v self,
        _: &'v <C::Fields as FieldTuple<C>>::Values,
    ) -> &'v <C::Fields as FieldTuple<C>>::Values {
        &self.values
    }
}
