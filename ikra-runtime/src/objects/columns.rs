//! Columns as slices, for other libraries.

use crate::class::{Class, Field};
use crate::column::Column;
use crate::error::Error;
use crate::layout::Contiguous;
use crate::link::Link;
use crate::objects::Objects;
use crate::storage::{AtomicColumn, AtomicValue, Inner, Plain, Storage, Stored, WholeArray};
use crate::value::Value;
use ikra_core::effects::FieldSet;

type ValueOf<C, const K: usize> = <<C as Field<K>>::Storage as Stored>::Row;

/// Storages of one column, whose elements are values.
#[diagnostic::on_unimplemented(
    message = "this field has no column of whole values",
    note = "a field under `#[soa(flatten)]` has a column per component; copy it with `copy_column`",
    note = "an array under `#[inline_array]` has a column per slot: borrow one with `slot`; copy it with `copy_column`",
    note = "an `#[atomic]` field may change while it is borrowed; copy it with `copy_column`, or borrow it with `column_mut`"
)]
///
/// # Safety
///
/// 1. The field has one column, whose elements are values of type `Row`.
/// 2. Nothing writes them through a shared borrow of the objects: they are not atomic.
pub unsafe trait SliceColumn: Stored {}
// SAFETY: 1. one column of values; 2. it is not atomic, and only an exclusive borrow of the objects allows writes.
unsafe impl<T: Value> SliceColumn for Plain<T> {}
// SAFETY: 1. one column of arrays; 2. views and refs write them only where they borrow the world exclusively.
unsafe impl<C: Class, const K: usize, T: Value, const N: usize> SliceColumn for Inner<C, K, WholeArray<T, N>> {}

/// Storages of one column that can be borrowed exclusively.
#[diagnostic::on_unimplemented(
    message = "this field has no column of whole values",
    note = "a field under `#[soa(flatten)]` has a column per component; copy it with `copy_column`"
)]
///
/// # Safety
///
/// The field has one column, whose elements are values of type `Row`, or atomics of their size, alignment and bytes.
pub unsafe trait SliceColumnMut: Stored {}
// SAFETY: one column of values.
unsafe impl<T: Value> SliceColumnMut for Plain<T> {}
// SAFETY: one column of arrays.
unsafe impl<C: Class, const K: usize, T: Value, const N: usize> SliceColumnMut for Inner<C, K, WholeArray<T, N>> {}
// SAFETY: one column of cells, which `AtomicValue` guarantees to have the layout of values.
unsafe impl<T: AtomicValue> SliceColumnMut for AtomicColumn<T> {}

impl<C: Class> Objects<C> {
    /// A field of all objects, as a slice.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[track_caller]
    pub fn column<const K: usize>(&self, _: Column<C, K>) -> &[ValueOf<C, K>]
    where
        C: Field<K, Storage: SliceColumn>,
        C::Layout: Contiguous,
    {
        self.assert_in_a_row();
        if self.slots() == 0 {
            return &[];
        }
        self.table().fetch(const { FieldSet::from_bits(1 << K) });
        // SAFETY: `SliceColumn`: the field has one column, which was allocated.
        let first = unsafe { self.table().address(<C::Storage as Storage<C, K>>::COLUMN, 0) };
        // SAFETY: `Contiguous`: its `len` elements are adjacent values; `&self` excludes writes.
        unsafe { std::slice::from_raw_parts(first.cast(), self.slots()) }
    }

    /// A field of all objects, as a slice to write.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[track_caller]
    pub fn column_mut<const K: usize>(&mut self, _: Column<C, K>) -> &mut [ValueOf<C, K>]
    where
        C: Field<K, Storage: SliceColumnMut>,
        C::Layout: Contiguous,
    {
        self.assert_in_a_row();
        if self.slots() == 0 {
            return &mut [];
        }
        self.table().fetch(const { FieldSet::from_bits(1 << K) });
        self.table().written(const { FieldSet::from_bits(1 << K) }, 0..self.slots());
        // SAFETY: `SliceColumnMut`: the field has one column, which was allocated.
        let first = unsafe { self.table().address(<C::Storage as Storage<C, K>>::COLUMN, 0) };
        // SAFETY: `Contiguous`: its `len` elements are adjacent values, or atomics of the same size and bytes;
        // `&mut self` excludes other accesses.
        unsafe { std::slice::from_raw_parts_mut(first.cast(), self.slots()) }
    }

    /// Stores a field of one object: `World::set`.
    #[inline]
    pub(crate) fn set<T: Value, const K: usize>(
        &mut self,
        link: Link<C>,
        _: Column<C, K>,
        value: T,
    ) -> Result<(), Error>
    where
        C: Field<K, Storage: Stored<Row = T, Value = T>>,
    {
        self.check_initialized(link)?;
        self.table().written(const { FieldSet::from_bits(1 << K) }, link.index()..link.index() + 1);
        // SAFETY: the object exists, and `&mut self` excludes other accesses.
        unsafe { C::Storage::write(&self.table().bases, link.index(), value) }
        Ok(())
    }

    /// Copies a field of all objects, with any layout and storage.
    ///
    /// # Panics
    ///
    /// If a reserved object is not initialised.
    #[track_caller]
    pub fn copy_column<const K: usize>(&self, _: Column<C, K>) -> Vec<ValueOf<C, K>>
    where
        C: Field<K>,
    {
        self.assert_initialized();
        self.table().fetch(const { FieldSet::from_bits(1 << K) });
        // SAFETY: the objects exist, and `&self` excludes writes that are not atomic.
        self.indices().map(|n| unsafe { C::Storage::read_row(&self.table().bases, n) }).collect()
    }
}
