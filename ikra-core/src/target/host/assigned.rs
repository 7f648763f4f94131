//! The fields that a method assigned. They are not noted: a loop that stores all that its kernel writes is vectorised.

use core::marker::PhantomData;

use crate::class::{Class, Field};
use crate::effects::FieldSet;
use crate::storage::{FieldTuple, Stored};

#[doc(hidden)]
pub struct Assigned<C>(PhantomData<C>);

impl<C: Class> Assigned<C> {
    #[inline(always)]
    pub(crate) fn new(_: <C::Fields as FieldTuple<C>>::Values) -> Self {
        Self(PhantomData)
    }

    #[inline(always)]
    pub(crate) fn insert<const K: usize>(&mut self, _: impl FnOnce() -> <<C as Field<K>>::Storage as Stored>::Value)
    where
        C: Field<K>,
    {
    }

    #[inline(always)]
    pub(crate) fn insert_part<const K: usize>(&mut self) {}

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        false
    }

    #[inline(always)]
    pub(crate) fn fields(&self) -> FieldSet {
        FieldSet::ALL
    }

    #[inline(always)]
    pub(crate) fn values<'v>(
        &'v self,
        loaded: &'v <C::Fields as FieldTuple<C>>::Values,
    ) -> &'v <C::Fields as FieldTuple<C>>::Values {
        loaded
    }
}
