//! How one field of a class is stored: in a column, flattened into several, or as atomics.

mod atomic;
mod flat;
mod plain;

pub use atomic::{Atomic, AtomicColumn, AtomicValue};
pub use flat::{Flat, Flatten, PartTuple};
pub use plain::Plain;

use crate::class::{Class, ClassId, ColumnInfo};
use crate::layout::{Get, Set};
use crate::phase::Phase;
use crate::table::Table;
use crate::value::Value;

/// How one field of a class is stored.
pub trait Storage: 'static {
    /// The field's type in the row.
    type Value: Value;
    /// The field's type in a view.
    type View<'w, P: Phase>: Copy;
    /// A run of the field's columns, to read.
    type Shared<'a, C: Class>: Get<Self::Value> + Copy + Send + Sync;
    /// A run of the field's columns, to read and write.
    type Exclusive<'a, C: Class>: Get<Self::Value> + Set<Self::Value> + Send;

    /// The columns.
    const COLUMNS: &'static [ColumnInfo];
    /// Whether other objects' elements may be changed too, atomically.
    const ATOMIC: bool;
    /// The class that the field's links refer to.
    const TARGET: Option<ClassId>;
    /// That class's name.
    const TARGET_NAME: &'static str;

    /// Borrows `len` elements from `first` on.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, in which field `K` is stored by `Self`, and in which the
    ///    objects `first..first + len` exist and lie within one run of the layout.
    /// 2. Nothing writes these elements during `'a`.
    unsafe fn shared<'a, C: Class, const K: usize>(bases: &C::Bases, first: usize, len: usize) -> Self::Shared<'a, C>;

    /// Borrows `len` elements from `first` on, exclusively.
    ///
    /// # Safety
    ///
    /// 1. As for [`shared`](Self::shared).
    /// 2. Nothing else accesses these elements during `'a`.
    unsafe fn exclusive<'a, C: Class, const K: usize>(
        bases: &C::Bases,
        first: usize,
        len: usize,
    ) -> Self::Exclusive<'a, C>;

    /// Reads one element.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C`, in which field `K` is stored by `Self` and object `index` exists.
    /// 2. Nothing writes the element meanwhile, unless `ATOMIC`.
    unsafe fn read<C: Class, const K: usize>(bases: &C::Bases, index: usize) -> Self::Value;

    /// Writes one element.
    ///
    /// # Safety
    ///
    /// 1. `bases` describe storage of `C` with room for object `index`, in which field `K` is stored by `Self`.
    /// 2. Nothing else accesses the element meanwhile.
    unsafe fn write<C: Class, const K: usize>(bases: &C::Bases, index: usize, value: Self::Value);

    /// What the view of object `index` shows for `value`.
    fn to_view<'w, C: Class, P: Phase, const K: usize>(
        value: Self::Value,
        table: &'w Table<C>,
        index: usize,
    ) -> Self::View<'w, P>;

    /// The value behind what a view shows.
    fn from_view<P: Phase>(view: Self::View<'_, P>) -> Self::Value;

    /// Whether a view still shows its own object's field, for storages whose views are handles.
    #[inline(always)]
    fn is_own<'w, C: Class, P: Phase, const K: usize>(
        _view: &Self::View<'w, P>,
        _table: &'w Table<C>,
        _index: usize,
    ) -> bool {
        true
    }

    /// Reads one element of another object as a view shows it.
    ///
    /// # Safety
    ///
    /// 1. Field `K` of `C` is stored by `Self`, and object `index` exists in `table`.
    /// 2. Nothing writes the element meanwhile, unless `ATOMIC`.
    #[inline(always)]
    unsafe fn view_at<'w, C: Class, P: Phase, const K: usize>(table: &'w Table<C>, index: usize) -> Self::View<'w, P> {
        // SAFETY: passed on.
        let value = unsafe { Self::read::<C, K>(&table.bases, index) };
        Self::to_view::<C, P, K>(value, table, index)
    }
}
