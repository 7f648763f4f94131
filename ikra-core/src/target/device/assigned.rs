//! The fields that a method assigned.
//!
//! A thread that assigns nothing stores nothing, and loads only what it needs for that. The compiler sees that: on each way
//! through a kernel, a field of which every assignment is noted is what was loaded or noted last, and is not compared.

use core::mem::MaybeUninit;

use crate::field_set::FieldSet;

pub struct Assigned<V> {
    /// The fields, as a set.
    fields: u64,
    /// Whether there is one. By itself, since the compiler knows it where it does not know which.
    any: bool,
    /// What the fields are, unless they changed and that was not noted.
    values: V,
}

impl<V> Assigned<V> {
    #[inline(always)]
    pub(crate) fn new(values: V) -> Self {
        Self { fields: 0, any: false, values }
    }

    /// Notes field `K`, which `put` replaces in the values.
    #[inline(always)]
    pub(crate) fn insert<const K: usize>(&mut self, put: impl FnOnce(&mut V)) {
        self.insert_part::<K>();
        put(&mut self.values);
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
    pub(crate) fn values<'v>(&'v self, _: &'v V) -> &'v V {
        &self.values
    }
}

/// Replaces a value of a field, word by word: a pair of `f32` that is copied as a whole becomes one number of 64 bits, of which the
/// compiler does not see that the view has the same.
///
/// # Safety
///
/// As for [`pointer::write`].
#[inline(always)]
pub(crate) unsafe fn put<V: Copy>(to: *mut V, value: V) {
    let words = size_of::<V>() / 4;
    if align_of::<V>() != 4 || words < 2 || words > 4 {
        // SAFETY: the place is valid for writes of a `V`, and aligned.
        return unsafe { to.write(value) };
    }
    let from = (&raw const value).cast::<MaybeUninit<u32>>();
    let to = to.cast::<MaybeUninit<u32>>();
    for n in 0..words {
        // SAFETY: the value has so many words, at multiples of 4.
        let word = unsafe { from.add(n) };
        // SAFETY: so has the place.
        let to = unsafe { to.add(n) };
        // SAFETY: any bytes are a word that may be uninitialised.
        let word = unsafe { word.read() };
        // SAFETY: a word of the place, which is valid for writes of a `V`, at a multiple of 4.
        unsafe { to.write(word) };
    }
}
