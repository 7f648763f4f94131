//! Fields by number and storage, for code that is generic over all fields of a class: tables.

use std::any::TypeId;
use std::fmt;
use std::marker::PhantomData;

use rayon::prelude::*;

use super::{Links, Lives, Objects};
use crate::class::Class;
use crate::class::first_column;
use crate::error::Error;
use crate::layout::LayoutKind;
use crate::link::Link;
use crate::storage::{Bump, FieldTuple, Plain, Storage};
use crate::value::Value;
use ikra_core::bits::set;
use ikra_core::effects::FieldSet;

/// Whether storage `F` is that of field `field` of class `C`.
fn stores<C: Class, F: 'static>(field: usize) -> bool {
    <C::Fields as FieldTuple<C>>::storage(field) == Some(TypeId::of::<F>())
}

#[doc(hidden)]
impl<C: Class> Objects<C> {
    /// Whether the objects are in a row, with no holes between them, and all are initialised.
    ///
    /// # Errors
    ///
    /// [`Error::NotInitialized`], for a reserved object.
    pub fn in_a_row(&self) -> Result<bool, Error> {
        match self.pending.ones().next() {
            Some(index) => Err(Error::NotInitialized { class: C::NAME, id: Link::<C>::at(index as u32).id() }),
            None => Ok(self.holes() == 0),
        }
    }

    /// The values of a field as a slice, if they lie side by side: in a column of whole values of this type, which is not
    /// atomic, in layout `soa`, with the objects in a row.
    ///
    /// # Errors
    ///
    /// [`Error::NotInitialized`]; errors of fetching.
    pub fn field_slice<T: Value>(&self, field: usize) -> Result<Option<&[T]>, Error> {
        let is_plain = stores::<C, Plain<T>>(field);
        if !is_plain || !matches!(C::LAYOUT, LayoutKind::Soa) || !self.in_a_row()? {
            return Ok(None);
        }
        if self.slots() == 0 {
            return Ok(Some(&[]));
        }
        self.try_fetch(FieldSet::from_bits(1 << field))?;
        // SAFETY: the class has the column, which was allocated, since there are objects.
        let first = unsafe { self.table().address(first_column(C::FIELDS, field), 0) };
        // SAFETY: the field's storage is `Plain<T>`: its first column is one of values of type `T`. In layout `soa` the
        // `slots` elements are adjacent. They were initialised when the objects were added. `&self` excludes writes.
        Ok(Some(unsafe { std::slice::from_raw_parts(first.cast(), self.slots()) }))
    }

    /// A copy of a field of all objects, whatever its storage and layout.
    ///
    /// # Errors
    ///
    /// [`Error::NotInitialized`]; errors of fetching.
    ///
    /// # Panics
    ///
    /// If the field has another storage.
    pub fn field_values<F: Storage<C, K>, const K: usize>(&self) -> Result<Vec<F::Row>, Error> {
        assert!(stores::<C, F>(K), "the storage is the field's");
        self.in_a_row()?;
        self.try_fetch(FieldSet::from_bits(1 << K))?;
        // SAFETY: the storage is the field's and the objects exist, and `&self` excludes writes that are not atomic.
        Ok(self.indices().map(|n| unsafe { F::read_row(&self.table().bases, n) }).collect())
    }

    /// Adds objects that are removed at once, so that their ids are free for new ones.
    ///
    /// # Errors
    ///
    /// [`Error::CapacityExceeded`], [`Error::TooManyObjects`], [`Error::OutOfMemory`]. Nothing is added then.
    pub fn add_removed(&mut self, n: usize) -> Result<(), Error> {
        let first = self.slots();
        self.add_placeholders(n)?;
        let mut removed = Vec::new();
        (first..self.slots()).for_each(|index| set(&mut removed, index));
        self.remove_all(&removed);
        Ok(())
    }

    /// Whether [`extend_in_parts`](Self::extend_in_parts) can add objects: no array has elements in an arena, where their
    /// places would depend on the threads.
    #[must_use]
    pub fn has_parts() -> bool {
        !Self::HAS_ARENA
    }

    /// Adds objects column by column, some consecutive objects on each thread. `fill` is called once per part, with the
    /// part's number, and appends the values of all its fields.
    ///
    /// # Errors
    ///
    /// The error of the first part that has one; [`Error::CapacityExceeded`], [`Error::TooManyObjects`],
    /// [`Error::OutOfMemory`], errors of fetching. Nothing is added then.
    ///
    /// # Panics
    ///
    /// If `fill` returns with a part that lacks values; if the class has no parts.
    pub fn extend_in_parts<E: From<Error> + Send>(
        &mut self,
        lens: &[usize],
        fill: impl Fn(usize, &mut NewObjects<'_, C>) -> Result<(), E> + Sync,
    ) -> Result<Links<C>, E> {
        assert!(Self::has_parts(), "objects of class {} are added one by one", C::NAME);
        let first = self.slots();
        let mut end = first;
        let mut parts = Vec::with_capacity(lens.len());
        for &len in lens {
            parts.push((end, len));
            end = end.saturating_add(len);
        }
        self.grow(end)?;
        self.memory.expect_writes();
        self.try_fetch(FieldSet::ALL)?;
        self.change_rows(first..end);
        let bases = &self.table().bases;
        let fill = |(part, &(first, len)): (usize, &(usize, usize))| {
            let written = vec![0; C::FIELDS.len()];
            let mut new = NewObjects::<C> { bases, first, len, written, class: PhantomData };
            fill(part, &mut new)?;
            let is_full = new.written.iter().all(|&written| written == len);
            assert!(is_full, "a part of class {} has {len} objects, and values for {:?}", C::NAME, new.written);
            Ok(())
        };
        let results: Vec<Result<(), E>> = parts.par_iter().enumerate().map(fill).collect();
        for result in results {
            result?;
        }
        self.set_len(end);
        Ok(Links::new(first, end))
    }
}

/// Consecutive objects that are being added: takes their values, field by field.
pub struct NewObjects<'a, C: Class> {
    bases: &'a C::Bases,
    first: usize,
    len: usize,
    /// By field: the number of objects that have a value.
    written: Vec<usize>,
    class: PhantomData<fn() -> C>,
}

impl<C: Class> fmt::Debug for NewObjects<'_, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NewObjects<{}>({})", C::NAME, self.len)
    }
}

impl<C: Class> NewObjects<'_, C> {
    /// The number of objects.
    #[must_use]
    #[expect(clippy::len_without_is_empty, reason = "nobody asks")]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Stores a field of the next objects that have no value of it.
    ///
    /// # Panics
    ///
    /// If the field has another storage, or if there are more values than objects.
    #[inline]
    pub fn append<F: Storage<C, K, Row: Clone>, const K: usize>(&mut self, rows: &[F::Row]) {
        assert!(stores::<C, F>(K), "the storage is the field's");
        let next = self.written[K];
        assert!(rows.len() <= self.len - next, "{} values are too many for {} objects", rows.len(), self.len - next);
        // A copy: stores through its addresses do not change it, so the loop becomes one of vectors.
        let (bases, first) = (*self.bases, self.first + next);
        for (n, row) in rows.iter().enumerate() {
            // SAFETY: 1. the storage is the field's, and `extend_in_parts` made room for the part's objects, of which
            // this is one. They do not exist yet, so no other code accesses them, and parts are disjoint. 2. the class
            // has no arena.
            unsafe { F::write_row(&bases, first + n, row.clone(), &mut Bump::none()) }
        }
        self.written[K] = next + rows.len();
    }
}
