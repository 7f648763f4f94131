//! The fields that a method assigned. They are not noted, because a loop that stores all of its kernel's fields is
//! vectorised.

use core::marker::PhantomData;

use crate::field_set::FieldSet;

pub struct Assigned<V>(PhantomData<V>);

impl<V> Assigned<V> {
    #[inline(always)]
    pub(crate) fn new(_: V) -> Self {
        Self(PhantomData)
    }

    #[inline(always)]
    pub(crate) fn insert<const K: usize>(&mut self, _: impl FnOnce(&mut V)) {}

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
    pub(crate) fn values<'v>(&'v self, loaded: &'v V) -> &'v V {
        loaded
    }
}

/// Replaces a value of a field.
///
/// # Safety
///
/// As for [`pointer::write`].
#[inline(always)]
pub(crate) unsafe fn put<V: Copy>(to: *mut V, value: V) {
    // SAFETY: the pointer is valid for writes of a `V`, and aligned.
    unsafe { to.write(value) }
}
