//! The fields that a method assigned.
//!
//! A thread that assigns nothing stores nothing, and loads only the fields that it needs to decide so. The compiler
//! sees this: if every assignment of a field on a path is noted, the field's value is the one loaded or noted last. It
//! is not compared.

use core::mem::MaybeUninit;

use crate::field_set::FieldSet;

pub struct Assigned<V> {
    /// The fields, as a set.
    fields: u64,
    /// Whether any field is assigned. It is separate, since the compiler often knows this without knowing the fields.
    any: bool,
    /// The values of the fields, unless they changed without a note.
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

/// Replaces a value of a field, word by word. Copied as a whole, a pair of `f32` becomes one 64-bit number, and the
/// compiler does not see that the view has the same pair.
///
/// # Safety
///
/// As for [`pointer::write`].
#[inline(always)]
pub(crate) unsafe fn put<V: Copy>(to: *mut V, value: V) {
    let words = size_of::<V>() / 4;
    if align_of::<V>() != 4 || words < 2 || words > 4 {
        // SAFETY: the pointer is valid for writes of a `V`, and aligned.
        return unsafe { to.write(value) };
    }
    let from = (&raw const value).cast::<MaybeUninit<u32>>();
    let to = to.cast::<MaybeUninit<u32>>();
    for n in 0..words {
        // SAFETY: the value has this many words, at multiples of 4.
        let word = unsafe { from.add(n) };
        // SAFETY: the destination has this many words too.
        let to = unsafe { to.add(n) };
        // SAFETY: any bytes are a word that may be uninitialised.
        let word = unsafe { word.read() };
        // SAFETY: a word of the destination, which is valid for writes of a `V`, at a multiple of 4.
        unsafe { to.write(word) };
    }
}
